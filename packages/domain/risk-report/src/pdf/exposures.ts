import type { Movement, Side } from '@weir/risk-engine';
import type { Content } from './pdfmake.ts';
import { type Report, type ReportExposure, shareOf } from '../report.ts';
import { riskTypeWords } from '../words/findings.ts';
import { count, moment, percent, usd, transaction } from '../words/numbers.ts';
import { textsOf } from '../words/statements.ts';
import { chartBars, colourOfExposure, exposureChart } from './chart.ts';
import { body, contentWidth, heading, note, tableOf, wrapping } from './style.ts';

/** The counterparties of the subject: as a chart, by type, and one by one. */
export function exposures(report: Report): Content[] {
  if (report.exposures.length === 0) return [heading('Exposures'), ...textsOf(report, 'exposures').map(body)];
  const hidden = report.exposureCount - report.exposures.length;
  return [
    {
      stack: [
        heading('Exposures'),
        body(`${sharesWords(report)} Dark bars are direct dealings, light ones what passed through others.${chartWords(report)}`),
        {
          svg: exposureChart(report.exposures, {
            width: contentWidth,
            unit: 'per cent of what was received, or sent',
          }),
          width: contentWidth,
          margin: [0, 2, 0, 4],
        },
      ],
      unbreakable: true,
    },
    typeTable(report),
    tableOf(
      [
        { title: 'Entity', width: '*' },
        { title: 'Type', width: 86 },
        { title: 'Dealings', width: 44 },
        { title: 'Side', width: 44 },
        { title: 'Hops', width: 28, right: true },
        { title: 'USD', width: 88, right: true },
        { title: 'Share', width: 50, right: true },
      ],
      report.exposures.map(lineOf),
    ),
    ...(hidden > 0 ? [note(`and ${count(hidden)} more, the larger of which the API lists.`)] : []),
    ...(report.exposures.some((exposure) => exposure.volume === 0 && shareOf(exposure) > 0)
      ? [
          note(
            'USD 0.00 with a share above zero: the value is below one cent or not known. Where no value is known, the number of transfers gives the share.',
          ),
        ]
      : []),
  ];
}

function chartWords({ exposures: { length } }: Report): string {
  return length > chartBars ? ` The ${chartBars} largest have a bar.` : '';
}

function sharesWords({ kind }: Report): string {
  return kind === 'address'
    ? 'Shares are of all that was received, or of all that was sent.'
    : 'A direct entity is on the side itself, or an address of the side dealt with it. Shares are of all that this address received, or sent, or of the side where the entity is on it; of several the largest share stands.';
}

/** Also the chart's legend. Shares of a transaction refer to different totals and do not add up. */
function typeTable({ kind, sums }: Report): Content {
  const adds = kind === 'address';
  return tableOf(
    [
      { title: 'By type', width: '*' },
      { title: 'Side', width: 60 },
      { title: 'Entries', width: 60, right: true },
      ...(adds ? ['Direct', 'Indirect'].map((title) => ({ title, width: 80, right: true })) : []),
    ],
    sums.map(({ side, risk_type, direct, indirect, lines }) => [
      { text: riskTypeWords[risk_type], style: 'cell', color: colourOfExposure({ risk_type, exposure_type: 'direct' }), bold: true },
      sideWords(side),
      count(lines),
      ...(adds ? [percent(direct), percent(indirect)] : []),
    ]),
  );
}

function lineOf(exposure: ReportExposure): string[] {
  const { entity, risk_type, exposure_type, hop_num, volume, side } = exposure;
  return [entity, riskTypeWords[risk_type], exposure_type, sideWords(side), String(hop_num), usd(volume), percent(shareOf(exposure))];
}

function sideWords(side: Side | undefined): string {
  return side === undefined ? '–' : side === 'in' ? 'received' : 'paid';
}

const maxPaths = 12;
/** Of each end of a path. */
const maxTransfers = 3;

/** The counterparty and the transfers of each exposure's main path. */
export function paths(report: Report): Content[] {
  const known = report.exposures.filter(({ counterparty = '', path = [] }) => counterparty !== '' || path.length > 0);
  if (known.length === 0) return [];
  return [
    heading('Paths'),
    body('The transfers that carried most of the money between the entity and the address, in the order of time.'),
    ...known.slice(0, maxPaths).map(pathOf),
    ...(known.length > maxPaths ? [note(`and ${count(known.length - maxPaths)} more paths, which the API lists.`)] : []),
  ];
}

function pathOf(exposure: ReportExposure): Content {
  const { entity, path = [], side, hop_num, counterparty = '' } = exposure;
  const shown = path.length <= 2 * maxTransfers ? path : [...path.slice(0, maxTransfers), ...path.slice(-maxTransfers)];
  const hidden = hop_num - shown.length;
  return {
    stack: [
      { ...wrapping(`${entity} – ${sideWords(side)}, ${percent(shareOf(exposure))}`), style: 'subheading' },
      ...(counterparty === '' ? [] : [{ ...wrapping(`Counterparty: ${counterparty}`, {}, 80), style: 'cell' }]),
      ...(shown.length > 0 ? [transfers(shown)] : []),
      ...(hidden > 0
        ? [note(shown.length > 0 ? `${count(hidden)} transfers in the middle are not shown.` : 'Its transfers are not listed.')]
        : []),
    ],
    unbreakable: true,
  };
}

function transfers(path: readonly Movement[]): Content {
  return tableOf(
    [
      { title: 'Time', width: 70 },
      { title: 'Transaction, from and to', width: '*' },
      { title: 'Amount', width: 72, right: true },
      { title: 'USD', width: 66, right: true },
    ],
    path.map(({ at, tx, coin, amount = null, usd: value, from, to }) => [
      moment(at),
      { ...wrapping(`${transaction(tx)}\nfrom ${from}\nto ${to}`), style: 'cell', fontSize: 7.5 },
      amount === null ? `unknown ${coin}` : `${amount} ${coin}`,
      value === null ? 'unknown' : usd(value),
    ]),
  );
}
