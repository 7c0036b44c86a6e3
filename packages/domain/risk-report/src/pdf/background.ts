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
            'Each line adds up to 100 %. Ends: at addresses that have no dealings of that side in the data, or back at the subject. Looked at: how often the dealings of an address were.',
          ),
        ]),
  ];
}

function sidesTable(sides: Grounds['sides']): Content {
  const line = (name: string, side: SideSummary): string[] =>
    side.total.transfers === 0
      ? [name, '0', '–', '–', '–', '–', '–']
      : [
          name,
          count(side.total.transfers),
          share(side.risk),
          share(side.services),
          share(side.ends),
          share(side.bound),
          count(side.expanded),
        ];
  return tableOf(
    [
      { title: 'Where it leads', width: '*' },
      { title: 'Transfers', width: 58, right: true },
      { title: 'Risks', width: 56, right: true },
      { title: 'Services', width: 56, right: true },
      { title: 'Ends', width: 56, right: true },
      { title: 'Not followed', width: 58, right: true },
      { title: 'Looked at', width: 52, right: true },
    ],
    [line('What it received', sides.in), line('What it sent', sides.out)],
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
