import type { Exposure } from '@weir/risk-engine';
import type { Content } from './pdfmake.ts';
import type { Report, SidedExposure } from '../report.ts';
import { riskTypeWords } from '../words/findings.ts';
import { count, percent, usd } from '../words/numbers.ts';
import { textsOf } from '../words/statements.ts';
import { chartBars, colourOfExposure, exposureChart } from './chart.ts';
import { body, contentWidth, heading, note, tableOf, wrapping } from './style.ts';

/** The counterparties of the subject: as a chart, by type, and one by one. */
export function exposures(report: Report): Content[] {
  const hasSides = report.exposures.some(({ side }) => side != null);
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
            unit: report.kind === 'address' ? 'per cent of the whole volume' : 'per cent',
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
        ...(hasSides ? [{ title: 'Side', width: 44 }] : []),
        { title: 'Hops', width: 28, right: true },
        { title: 'USD', width: 88, right: true },
        { title: 'Share', width: 50, right: true },
      ],
      report.exposures.map((exposure) => lineOf(exposure, hasSides)),
    ),
    ...(hidden > 0 ? [note(`and ${count(hidden)} more, the larger of which the API lists.`)] : []),
    ...(report.exposures.some(({ volume, percent: part }) => volume === 0 && part > 0)
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
    ? 'Shares are of the whole volume, received and sent.'
    : 'A direct entity is on the side itself, or an address of the side dealt with it. Shares are of the whole volume of that address, or of the side where the entity is on it; of several the largest share stands.';
}

/** Also the chart's legend. Shares of a transaction refer to different totals and do not add up. */
function typeTable({ kind, sums }: Report): Content {
  const adds = kind === 'address';
  return tableOf(
    [
      { title: 'By type', width: '*' },
      { title: 'Entries', width: 60, right: true },
      ...(adds ? ['Direct', 'Indirect'].map((title) => ({ title, width: 80, right: true })) : []),
    ],
    sums.map(({ risk_type, direct, indirect, lines }) => [
      { text: riskTypeWords[risk_type], style: 'cell', color: colourOfExposure({ risk_type, exposure_type: 'direct' }), bold: true },
      count(lines),
      ...(adds ? [percent(direct), percent(indirect)] : []),
    ]),
  );
}

function lineOf({ entity, risk_type, exposure_type, hop_num, volume, percent: part, side }: SidedExposure, hasSides: boolean): string[] {
  const sideWords = side === 'in' ? 'received' : side === 'out' ? 'paid' : '–';
  return [entity, riskTypeWords[risk_type], exposure_type, ...(hasSides ? [sideWords] : []), String(hop_num), usd(volume), percent(part)];
}

const maxPaths = 12;
const maxStops = 5;

/** The path of each indirect exposure, hop by hop. */
export function paths(report: Report): Content[] {
  const indirect = report.exposures.filter(({ exposure_type }) => exposure_type === 'indirect');
  if (indirect.length === 0) return [];
  const known = indirect.filter(({ hop_dic }) => hop_dic !== undefined);
  const hidden = indirect.length - Math.min(known.length, maxPaths);
  return [
    heading('Paths'),
    body(
      'From the address’s own counterparties (hop 1) to the entity. Where many addresses carry the money at one hop, the largest are shown.',
    ),
    ...known.slice(0, maxPaths).map(pathOf),
    ...(hidden > 0 ? [note(`and ${count(hidden)} more indirect exposures.`)] : []),
  ];
}

function pathOf({ entity, hop_dic = {}, percent: part }: Exposure): Content {
  const hops = Object.entries(hop_dic).toSorted(([a], [b]) => Number(a) - Number(b));
  return {
    stack: [
      { ...wrapping(`${entity} – ${percent(part)}`), style: 'subheading' },
      tableOf(
        [
          { title: 'Hop', width: 30 },
          { title: 'Through', width: '*' },
        ],
        hops.map(([hop, stops]) => [hop, stopsOf(stops)]),
      ),
    ],
    unbreakable: true,
  };
}

function stopsOf(stops: readonly string[]): string {
  const more = stops.length > maxStops ? [`and ${stops.length - maxStops} more`] : [];
  return [...stops.slice(0, maxStops), ...more].join('\n');
}
