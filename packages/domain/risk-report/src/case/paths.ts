import type { Content } from '../pdf/pdfmake.ts';
import { body, heading, note, tableOf, wrapping } from '../pdf/style.ts';
import { count, moment, transaction, usd } from '../words/numbers.ts';
import type { CaseExposure, CaseHop, CaseReport } from './case.ts';

export const sides = { in: 'received', out: 'paid' } as const;
/** Ten pages; the case file has all. */
const maxPaths = 40;

/** The way of the money of each exposure. */
export function paths({ screening }: CaseReport): Content[] {
  const found = screening.result?.risk_detail ?? [];
  if (found.length === 0) return [];
  const known = found.flatMap((exposure, n) =>
    exposure.counterparty == null && !exposure.path?.length ? [] : [{ ...exposure, number: n + 1 }],
  );
  const [first, ...others] = known.slice(0, maxPaths);
  const title = heading('Way of the money');
  if (first === undefined) return [title, body('The stored answer of the risk API has none.')];
  return [
    together(first, [
      title,
      body('The transfers that carried most of the money between subject and entity, in the order of time, as the risk API lists them.'),
      ...pathOf(first),
    ]),
    ...others.map((exposure) => together(exposure, pathOf(exposure))),
    ...(known.length > maxPaths ? [note(`The case file has ${count(known.length - maxPaths)} more.`)] : []),
  ];
}

/** On one page, where it fits. */
function together({ path = [] }: CaseExposure, stack: Content[]): Content {
  return { stack, unbreakable: path.length <= 10 };
}

function pathOf({ number, entity, side, hop_num, counterparty, path = [] }: CaseExposure & { readonly number: number }): Content[] {
  return [
    { ...wrapping(`${number}. ${entity} – ${side == null ? 'side unknown' : sides[side]}`, {}, 60), style: 'subheading' },
    { ...wrapping(`Counterparty: ${counterparty ?? 'unknown'}`, {}, 80), style: 'cell' },
    ...(path.length === 0 ? [note('The risk API lists no transfers of it.')] : [transfers(path)]),
    ...(path.length > 0 && hop_num > path.length ? [note(`The risk API leaves out ${transfersOf(hop_num - path.length)}.`)] : []),
  ];
}

function transfers(path: readonly CaseHop[]): Content {
  return tableOf(
    [
      { title: 'Time (UTC)', width: 48 },
      { title: 'Transaction, from and to', width: '*' },
      { title: 'Amount', width: 62, right: true },
      { title: 'USD', width: 56, right: true },
    ],
    path.map(({ time, txid, coin, amount, usd: value, from, to }) => [
      moment(Date.parse(time)).replace(' UTC', '').replace(' ', '\n'),
      // Fits a transaction's id into one line.
      { ...wrapping(`${transaction(txid)}\nfrom ${from}\nto ${to}`), style: 'cell', fontSize: 7.5 },
      amount === null ? `unknown ${coin}` : `${amount} ${coin}`,
      value === null ? 'unknown' : usd(value),
    ]),
  );
}

function transfersOf(number: number): string {
  return number === 1 ? 'one transfer in the middle' : `${count(number)} transfers in the middle`;
}
