import { levels } from '@weir/risk-engine';
import type { Content } from './pdfmake.ts';
import type { Report } from '../report.ts';
import { levelWords, meaningOf } from '../words/levels.ts';
import { body, heading, note, tableOf } from './style.ts';

/** What the level means and what to do about it. */
export function meaning(report: Report): Content[] {
  return [
    heading('What this means'),
    body(meaningOf(report)),
    body(operationOf(report)),
    tableOf(
      [
        { title: 'Level', width: 70 },
        { title: 'Score', width: 60 },
        { title: 'Suggested operation', width: '*' },
      ],
      levels.toReversed().map((level) => {
        const { band, operation, colour } = levelWords[level];
        const current = level === report.level;
        return [
          { text: level, style: 'cell', bold: true, color: colour },
          { text: band, style: 'cell', bold: current },
          { text: operation, style: 'cell', bold: current },
        ];
      }),
    ),
    ...(report.sandbox === undefined
      ? []
      : [note('The figures of a predefined result are made up and say nothing about the holder of the address.')]),
  ];
}

function operationOf({ level, coverage }: Report): string {
  const { operation } = levelWords[level];
  if (coverage !== 'none') return `Suggested operation: ${operation}.`;
  return `Suggested operation for the level: ${operation}. Whether that is enough for what nothing is known of is for your own policy to say.`;
}
