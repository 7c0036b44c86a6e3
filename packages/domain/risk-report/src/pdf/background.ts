import type { SideSummary } from '@weir/risk-engine';
import type { Content } from './pdfmake.ts';
import type { Grounds, Report } from '../report.ts';
import { limits, method, transactionMethod } from '../words/method.ts';
import { count, share } from '../words/numbers.ts';
import { textsOf } from '../words/statements.ts';
import { body, bullets, heading, note, tableOf } from './style.ts';

export function unknownParts(report: Report, grounds: Grounds): Content[] {
  return [
    heading('What is not known'),
    bullets([...textsOf(report, 'unknown'), ...limits]),
    ...(report.coverage === 'none'
      ? []
      : [
          sidesTable(grounds.sides),
          note(
            'The rest of a line, up to 100 %, is with services, or ends at addresses without earlier (or later) transfers in the data. Read: addresses whose transfers were read.',
          ),
        ]),
  ];
}

function sidesTable(sides: Grounds['sides']): Content {
  const line = (name: string, { total, counted, score, direct, traced, unread, addresses }: SideSummary): string[] =>
    total.transfers === 0
      ? [name, '0', '–', '–', '–', '–', '–']
      : [
          name,
          count(total.transfers),
          share(direct),
          share(traced),
          share(unread),
          count(addresses),
          counted ? String(Math.round(score)) : 'not counted',
        ];
  return tableOf(
    [
      { title: 'Side', width: '*' },
      { title: 'Transfers', width: 54, right: true },
      { title: 'Direct risks', width: 58, right: true },
      { title: 'Through others', width: 66, right: true },
      { title: 'Not followed', width: 58, right: true },
      { title: 'Read', width: 36, right: true },
      { title: 'Score', width: 52, right: true },
    ],
    [line('Source of funds: received', sides.in), line('Use of funds: sent', sides.out)],
  );
}

export function methodParts(report: Report): Content[] {
  return [heading('How the score is made'), bullets(report.kind === 'txid' ? [transactionMethod, ...method] : method)];
}

export function sources(report: Report): Content[] {
  return [
    heading('Sources, and how to get the same again'),
    bullets(textsOf(report, 'sources')),
    note(
      'Characters that this document’s font lacks stand as their Unicode numbers, such as [U+4E2D], and very long names are cut with an ellipsis; the API answers them in full.',
    ),
    ...(report.sandbox === undefined ? [body('This report states what is known and is no legal advice.')] : []),
  ];
}
