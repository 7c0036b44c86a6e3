import { levels } from '@weir/risk-engine';
import type { Content } from './pdfmake.ts';
import type { Report } from '../report.ts';
import { levelWords } from '../words/levels.ts';
import { textsOf } from '../words/statements.ts';
import { body, bullets, heading, tableOf } from './style.ts';

export function meaning(report: Report): Content[] {
  return [
    heading('What this means'),
    bullets(textsOf(report, 'meaning')),
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
  ];
}

/** The specification's operation for the level, whatever its cause. */
function operationOf({ level, coverage }: Report): string {
  const { operation } = levelWords[level];
  if (coverage !== 'none') return `Suggested operation: ${operation}.`;
  return `Suggested operation for the level: ${operation}. Whether that is enough for what nothing is known of is for your own policy to say.`;
}
