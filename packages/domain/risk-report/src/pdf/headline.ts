import type { Content } from './pdfmake.ts';
import type { Report } from '../report.ts';
import { colourOf, levelWords, scoredSide } from '../words/levels.ts';
import { moment } from '../words/numbers.ts';
import { contentWidth, ink, muted, wrapping } from './style.ts';

export function headline(report: Report): Content[] {
  return [
    {
      columns: [
        { text: 'Risk report', style: 'title' },
        { text: `Weir ${report.version}`, alignment: 'right', color: muted, fontSize: 9, margin: [0, 8, 0, 0] },
      ],
    },
    ...(report.sandbox === undefined
      ? []
      : [banner(`Sandbox: a predefined result for integration tests, not an assessment. The target is ${report.sandbox}.`)]),
    ...(report.lostScanAtMs === undefined
      ? []
      : [
          banner(
            `The result of ${moment(report.lostScanAtMs)} that this report was asked for is no longer kept. What follows was computed anew at ${moment(report.madeAtMs)} and may differ from it.`,
          ),
        ]),
    { columns: [badge(report), facts(report)], columnGap: 14, margin: [0, 10, 0, 8] },
    scale(report),
  ];
}

function banner(text: string): Content {
  return {
    table: { widths: ['*'], body: [[{ text, fontSize: 9, bold: true, color: '#5c4300', fillColor: '#fff3cd', margin: [6, 4, 6, 4] }]] },
    layout: { hLineWidth: () => 0.8, vLineWidth: () => 0.8, hLineColor: () => '#e0c060', vLineColor: () => '#e0c060' },
    margin: [0, 8, 0, 0],
  };
}

function badge(report: Report): Content {
  const fillColor = colourOf(report);
  const cell = (text: string, fontSize: number, margin: [number, number, number, number], bold = true): Content => ({
    text,
    fontSize,
    bold,
    color: '#ffffff',
    fillColor,
    alignment: 'center',
    margin,
  });
  return {
    width: 128,
    table: {
      widths: ['*'],
      body: [
        [cell(report.level.toUpperCase(), 15, [0, 12, 0, 0])],
        [cell(String(report.score), 34, [0, 0, 0, 0])],
        [cell(`of 100${knownAgainst(report)}`, 9, [0, 0, 0, 12], false)],
      ],
    },
    layout: 'noBorders',
  };
}

/** Low means that nothing is known, and no more. */
function knownAgainst({ coverage, grounds }: Report): string {
  if (coverage === 'none') return ' – nothing is known';
  return grounds?.contributions.length === 1 ? ' – nothing known against it' : '';
}

const knownWords: Readonly<Record<Report['coverage'], string>> = {
  none: 'nothing',
  labels: 'labels, no transfers',
  transfers: 'transfers, no labels',
  full: 'labels and transfers',
};

function facts(report: Report): Content {
  const lines: [string, string][] = [
    [report.kind === 'address' ? 'Address' : 'Transaction', report.subject],
    ['Chain, coin', `${report.chain}, ${report.coin}`],
    ['Direction', directionWords(report)],
    ...(report.sandbox === undefined ? [['Known of it', knownWords[report.coverage]] as [string, string]] : []),
    ['Label', report.address_label === '' ? 'none' : report.address_label],
    ['Descriptions', report.detail_list.length === 0 ? 'none' : report.detail_list.join('; ')],
    ...(report.hacking_event === '' ? [] : [['Incident', report.hacking_event] as [string, string]]),
    ['Scanned', report.scannedAtMs === undefined ? 'never: a predefined result' : moment(report.scannedAtMs)],
    ['Report made', moment(report.madeAtMs)],
  ];
  return {
    width: '*',
    table: {
      widths: [66, '*'],
      body: lines.map(([name, value], index) => [
        { text: name, color: muted, fontSize: 9 },
        // Fits a transaction's id into one line.
        wrapping(value, { fontSize: index === 0 && value.length > 60 ? 7.5 : 9, bold: index === 0 }),
      ]),
    },
    layout: { hLineWidth: () => 0, vLineWidth: () => 0, paddingTop: () => 1.5, paddingBottom: () => 1.5, paddingLeft: () => 0 },
  };
}

function directionWords(report: Report): string {
  const name = report.direction === 'deposit' ? 'deposit' : 'withdrawal';
  return report.kind === 'address' ? `${name} (an address is scored alike for both)` : `${name}: the ${scoredSide(report)} is scored`;
}

/** The bands from 0 to 100 with the score. */
function scale(report: Report): Content {
  const at = (score: number): number => (score / 100) * contentWidth;
  const bands = [
    { level: 'Low', from: 0, to: 30.5 },
    { level: 'Moderate', from: 30.5, to: 70.5 },
    { level: 'High', from: 70.5, to: 90.5 },
    { level: 'Severe', from: 90.5, to: 100 },
  ] as const;
  const x = at(report.score);
  return {
    stack: [
      {
        canvas: [
          ...bands.map(({ level, from, to }) => ({
            type: 'rect' as const,
            x: at(from),
            y: 8,
            w: at(to) - at(from),
            h: 5,
            color: levelWords[level].colour,
            fillOpacity: level === report.level && report.coverage !== 'none' ? 1 : 0.28,
          })),
          {
            type: 'polyline' as const,
            closePath: true,
            color: ink,
            points: [
              { x, y: 8 },
              { x: x - 4, y: 1 },
              { x: x + 4, y: 1 },
            ],
          },
        ],
      },
      {
        columns: bands.map(({ level, from, to }) => ({
          width: at(to) - at(from),
          text: level,
          fontSize: 7,
          color: muted,
          alignment: 'center' as const,
        })),
        margin: [0, 2, 0, 0],
      },
    ],
    unbreakable: true,
  };
}
