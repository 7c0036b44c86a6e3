import { canonicalCategory, type Label } from '@weir/risk-engine';
import type { Content } from './pdfmake.ts';
import type { Grounds, Report } from '../report.ts';
import { tenths } from '../words/contributions.ts';
import { findingWords } from '../words/findings.ts';
import { day } from '../words/numbers.ts';
import { textsOf } from '../words/statements.ts';
import { body, bullets, heading, note, tableOf } from './style.ts';

export function reasons(report: Report, grounds: Grounds): Content[] {
  const points = tenths(grounds.contributions.map((contribution) => contribution.points));
  return [
    heading('What the score is made of'),
    tableOf(
      [
        { title: 'Points', width: 42, right: true },
        { title: 'For', width: '*' },
      ],
      [
        ...grounds.contributions.map(({ key }, index) => [(points[index] ?? 0).toFixed(1), upperFirst(findingWords(key, report.labels))]),
        [
          { text: String(report.score), style: 'cell', bold: true, alignment: 'right' as const },
          { text: 'Score: the sum of these points', style: 'cell', bold: true },
        ],
      ],
    ),
    ...(points.includes(0) ? [note('0.0: what stands above it leaves next to nothing to add.')] : []),
    bullets(textsOf(report, 'score')),
  ];
}

function upperFirst(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

const maxLabels = 25;

export function ownLabels(report: Report): Content[] {
  const title = heading(report.kind === 'address' ? 'Labels of the address itself' : 'Labels of the worst address of the side');
  const whose = report.worstAddress === undefined ? [] : [body(`The address: ${report.worstAddress}`)];
  const labels = [...report.labels, ...report.uncountedLabels];
  if (labels.length === 0) return [title, ...whose, ...textsOf(report, 'labels').map(body)];
  const shown = labels.slice(0, maxLabels);
  return [
    title,
    ...whose,
    tableOf(
      [
        { title: 'Name', width: '*' },
        { title: 'Category', width: 72 },
        { title: 'Source', width: 116 },
        { title: 'Confidence', width: 52, right: true },
        { title: 'Valid', width: 92 },
      ],
      shown.map((label) => [
        nameOf(label),
        label.category,
        label.source,
        `${Math.round(label.confidence * 100)} %`,
        validity(label, report),
      ]),
    ),
    ...(labels.length > shown.length ? [note(`and ${labels.length - shown.length} more`)] : []),
  ];
}

function nameOf({ name, via }: Label): string {
  return via === undefined ? name : `${name} (of ${via.address}, which signed transactions together with it)`;
}

function validity(label: Report['labels'][number], report: Report): string {
  const { scannedAtMs, madeAtMs, labels } = report;
  if (!('valid_from' in label)) return 'at the scan';
  const { valid_from, valid_to } = label;
  const at = scannedAtMs ?? madeAtMs;
  const period = `${valid_from === null ? 'no start known' : `from ${day(valid_from)}`}${valid_to === null ? '' : ` to ${day(valid_to)}`}`;
  if (labels.includes(label)) return period;
  if (valid_to !== null && valid_to <= at) return `${period} (ended: not counted)`;
  if (isContradicted(label, report)) return `${period} (contradicted: not counted)`;
  return valid_from !== null && valid_from > at ? `${period} (not yet at the scan)` : `${period} (not known at the scan)`;
}

/** The label belongs to a claim that does not count. */
function isContradicted({ category, source }: Label, { contradictions }: Report): boolean {
  return contradictions.some(({ standing, service, accusation }) => {
    const { categories, sources } = standing === 'service' ? accusation : service;
    return categories.includes(canonicalCategory(category)) && sources.includes(source);
  });
}
