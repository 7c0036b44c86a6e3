import { categoryNames, type Level, weightOf } from '@weir/risk-engine';
import { families, type Part } from './cases.ts';
import { engineName } from './engine.ts';
import type { Measured } from './measure.ts';
import type { MeasuredFamily, MeasuredWorld } from './run.ts';

/** The content of `truth.json`. */
export interface Truth {
  readonly families: readonly MeasuredFamily[];
  readonly generated: readonly MeasuredWorld[];
  readonly hacks: readonly MeasuredWorld[];
  /** SHA-256 of the two others when the hacks were measured: other scores mean that the hacks must be measured again. */
  readonly hacks_measured_with: string;
}

const headings: Readonly<Record<Part, string>> = { tuned: 'Used for tuning', heldOut: 'Held out' };

export function reportOf(truth: Truth, areHacksCurrent: boolean): string {
  const worlds = [...truth.generated, ...truth.hacks];
  return [
    '### Summary',
    '',
    ...summaryTable(truth.families, worlds),
    '',
    ...(['tuned', 'heldOut'] as const).flatMap((part) => [`### ${headings[part]}: thefts`, '', ...worldTable(worlds, part), '']),
    ...(areHacksCurrent ? [] : ['Scores have changed since the hacks were measured.', '']),
    '### Single cases',
    '',
    ...familyTable(truth.families),
  ]
    .join('\n')
    .trimEnd();
}

interface Summary {
  readonly recall_high: number;
  readonly recall_moderate: number;
  readonly false_high: number;
  readonly false_high_unreached: number;
  readonly auc: number;
}

/** Means over the thefts that are not simple; the worst of the false positives. */
function summaryOf(worlds: readonly MeasuredWorld[], part: Part): Summary {
  const thefts = worlds
    .filter((world) => world.part === part && !world.is_simple)
    .flatMap(({ methods }) => methods.filter(({ method }) => method === engineName));
  const mean = (field: 'recall_high' | 'recall_moderate' | 'auc'): number =>
    thefts.reduce((sum, theft) => sum + (theft[field] ?? 0), 0) / thefts.length;
  return {
    recall_high: mean('recall_high'),
    recall_moderate: mean('recall_moderate'),
    false_high: Math.max(...thefts.map(({ false_high_unpaid }) => false_high_unpaid ?? 0)),
    false_high_unreached: Math.max(...thefts.map(({ false_high_unreached }) => false_high_unreached ?? 0)),
    auc: mean('auc'),
  };
}

function summaryTable(measured: readonly MeasuredFamily[], worlds: readonly MeasuredWorld[]): string[] {
  const [tuned, heldOut] = [summaryOf(worlds, 'tuned'), summaryOf(worlds, 'heldOut')];
  const rows = (
    [
      ['tuned', tuned],
      ['heldOut', heldOut],
    ] as const
  ).map(([part, { recall_high, recall_moderate, false_high, false_high_unreached, auc }]) => {
    const cases = measured.filter((each) => each.part === part);
    const sum = (field: 'right' | 'cases' | 'wrong_action'): number => cases.reduce((total, each) => total + each[field], 0);
    return [
      headings[part],
      percent(recall_high, 1),
      percent(recall_moderate, 1),
      percent(false_high, 2),
      percent(false_high_unreached, 2),
      auc.toFixed(3),
      `${sum('right')} of ${sum('cases')}`,
      sum('wrong_action'),
    ].join(' | ');
  });
  const points = (field: keyof Summary, digits: number): string => `${(100 * (heldOut[field] - tuned[field])).toFixed(digits)} points`;
  const auc = (heldOut.auc - tuned.auc).toFixed(3);
  return [
    '| | Recall High, mean | Recall Moderate, mean | False High, worst | False High, unreached, worst | AUC, mean | Cases with the right level | Cases with a wrong action |',
    '|---|---|---|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
    `| Held out less tuned | ${points('recall_high', 1)} | ${points('recall_moderate', 1)} | ${points('false_high', 2)} | ${points('false_high_unreached', 2)} | ${auc} | – | – |`,
  ];
}

function worldTable(worlds: readonly MeasuredWorld[], part: Part): string[] {
  const rows = worlds.filter((world) => world.part === part);
  return [
    '| Theft (launderers, others) | Method | Recall High | Recall Moderate | False High | False High, unreached | False High, paid by a launderer | False Moderate | AUC | Recall at 1 % false |',
    '|---|---|---|---|---|---|---|---|---|---|',
    ...rows.flatMap(({ name, launderers, benign, methods }) =>
      methods.map(
        (method, index) => `| ${index === 0 ? `${name} (${launderers}, ${benign})` : ''} | ${method.method} | ${cellsOf(method)} |`,
      ),
    ),
  ];
}

function cellsOf(measured: Measured): string {
  return [
    percent(measured.recall_high, 1),
    percent(measured.recall_moderate, 1),
    percent(measured.false_high_unpaid, 2),
    percent(measured.false_high_unreached, 2),
    percent(measured.false_high_paid, 2),
    percent(measured.false_moderate, 2),
    measured.auc.toFixed(3),
    percent(measured.tpr_at_1_percent, 1),
  ].join(' | ');
}

function familyTable(measured: readonly MeasuredFamily[]): string[] {
  const of = (name: string, part: Part) => measured.find((each) => each.family === name && each.part === part);
  const counts = (each: MeasuredFamily | undefined): string =>
    each === undefined ? '– | – | –' : `${each.right} of ${each.cases} | ${each.lowest}–${each.highest} | ${each.wrong_action}`;
  return [
    '| Case | Right level | Tuned: right | Scores | Wrong action | Held out: right | Scores | Wrong action |',
    '|---|---|---|---|---|---|---|---|',
    ...families.map(
      ({ name, expected }) => `| ${name} | ${wordsOf(expected)} | ${counts(of(name, 'tuned'))} | ${counts(of(name, 'heldOut'))} |`,
    ),
  ];
}

export function weightTable(): string {
  const weights = categoryNames.map((name) => ({ name, ...weightOf(name) })).filter(({ own, exposure }) => own + exposure > 0);
  return [
    '| Category | Weight of an own label | Weight of an exposure |',
    '|---|---|---|',
    ...weights.map(({ name, own, exposure }) => `| ${name} | ${own} | ${exposure} |`),
  ].join('\n');
}

function wordsOf(expected: { readonly least: Level } | { readonly most: Level }): string {
  return 'least' in expected ? `${expected.least} or worse` : `${expected.most} or better`;
}

function percent(part: number | null, digits: number): string {
  return part === null ? '–' : `${(100 * part).toFixed(digits)} %`;
}
