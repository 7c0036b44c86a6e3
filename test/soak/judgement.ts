import { bounded, levels, type Point, proportional, returns, type Tolerance, type Verdict } from './judge.ts';
import type { Sample, Waiting } from './samples.ts';

export interface Judged extends Verdict {
  readonly what: string;
  readonly rule: string;
  readonly unit: 'MB' | 'handles' | 'bytes a deposit' | 'rows' | 's' | 'ms';
  /** Seconds to the slowest return below the bound. */
  readonly slowest?: number | null;
}

export interface History {
  readonly samples: readonly Sample[];
  readonly waiting: readonly Waiting[];
  /** Seconds of the faults. */
  readonly faults: readonly number[];
  readonly perSecond: number;
  readonly retentionSeconds: number;
}

/** Kept for good, so they grow with the transfers. Every other table must level out. */
export const kept: ReadonlySet<string> = new Set([
  'audit.entries',
  'audit.leaves',
  'audit.nodes',
  'console.reviews',
  'console.screenings',
  'decision.decisions',
  'decision.screenings',
  'decision.transfers',
  'gate.withdrawals',
  'intake.transfers',
  'scoring.screenings',
]);
/** Of all tables and topics that stay below it, only the sum is judged. */
const small = 2 * 1_024 ** 2;
const mebi = 1_024 ** 2;
const memory: Tolerance = { share: 0.15, least: 20 };
const handles: Tolerance = { share: 0.1, least: 10 };
/** A trim by the hour leaves what is not old enough, so the second peak is a sixth above the first. */
const size: Tolerance = { share: 0.25, least: 4 };
const perDeposit: Tolerance = { share: 0.25, least: small };
/** A process is not compared before it has warmed up. */
const warmUpSeconds = 120;
/** A quarter of a run must hold several collections. */
const leastQuarterSeconds = 300;
/** To work off what a fault has left, restarts included. */
export const returnLimitSeconds = 180;
/** Under way at any moment: the deposits of five seconds. A deposit is four records: detected, requested, scored, decided. */
const underWaySeconds = 5;
const recordsOfDeposit = 4;
const oldestBoundSeconds = 15;

export function judge(history: History): Judged[] {
  const { samples } = history;
  const end = samples.at(-1)?.at ?? 0;
  const span = [0, end] as const;
  const trimmed = trimmedSpan(history, end);
  // The load and the risk API of the run keep what they count.
  const judgedProcesses = namesOf(samples, 'processes').filter((name) => name !== 'soak' && name !== 'upstream');
  const grown = grownProcesses(samples, Math.min(warmUpSeconds, end / 8));
  return [
    ...judgedProcesses.flatMap((name): Judged[] => {
      const own = grown(name);
      // Memory of Node.js rises for minutes until its next collection.
      const collected = end / 4 >= leastQuarterSeconds ? own : [];
      return [
        {
          what: `${name}, PSS`,
          unit: 'MB',
          ...memoryOf(collected, end),
        },
        {
          what: `${name}, handles`,
          rule: 'levels',
          unit: 'handles',
          ...levels(
            own.map(({ at, usage }) => ({ at, value: usage.handles })),
            name === 'broker' ? trimmed : span,
            handles,
          ),
        },
      ];
    }),
    ...sizes(history, 'tables', end),
    ...sizes(history, 'topics', end),
    ...waits(history, end),
  ];
}

/** A restarted process is compared by its peaks: its median says how old it was when the next kill came. */
function memoryOf(collected: readonly Grown[], end: number): Verdict & Pick<Judged, 'rule'> {
  const series = collected.map(({ at, usage }) => ({ at, value: usage.pssBytes / mebi }));
  const isRestarted = new Set(collected.filter(({ usage }) => usage.count === 1).map(({ usage }) => usage.pid)).size > 1;
  return isRestarted ? { rule: 'bounded', ...bounded(series, [0, end], memory) } : { rule: 'levels', ...levels(series, [0, end], memory) };
}

interface Grown {
  readonly at: number;
  readonly usage: Sample['processes'][string];
}

function grownProcesses(samples: readonly Sample[], warmUp: number): (name: string) => Grown[] {
  return (name) => {
    let began: { pid: number; at: number } | undefined;
    return samples.flatMap(({ at, processes }) => {
      const usage = processes[name];
      if (usage === undefined || usage.pssBytes === 0) return [];
      // PostgreSQL is many processes, which come and go.
      if (began === undefined || (began.pid !== usage.pid && usage.count === 1)) began = { pid: usage.pid, at };
      return at - began.at >= warmUp ? [{ at, usage }] : [];
    });
  };
}

/** Records beyond their retention go at the next look, which may be as late again. The broker holds a file open for each segment. */
function trimmedSpan({ retentionSeconds }: Pick<History, 'retentionSeconds'>, end: number): readonly [number, number] {
  return [Math.min(2 * retentionSeconds + 60, end), end];
}

function namesOf(samples: readonly Sample[], of: 'processes' | 'tables' | 'topics'): string[] {
  return [...new Set(samples.flatMap((each) => Object.keys(each[of])))].toSorted();
}

function sizes({ samples, retentionSeconds }: History, of: 'tables' | 'topics', end: number): Judged[] {
  const deposits = samples.map(({ at, deposits: value }) => ({ at, value }));
  const seriesOf = (name: string): Point[] =>
    samples.flatMap(({ at, [of]: all }) => (all[name] === undefined ? [] : [{ at, value: all[name] }]));
  const trimmed = trimmedSpan({ retentionSeconds }, end);
  const what = (name: string): string => `${of === 'tables' ? 'table' : 'topic'} ${name}`;
  const all = namesOf(samples, of).map((name) => ({ name, series: seriesOf(name) }));
  const isSmall = ({ name, series }: { name: string; series: Point[] }): boolean =>
    !kept.has(name) && series.every(({ value }) => value < small);
  const rest = all.filter(isSmall);
  const restBytes = new Map<number, number>();
  for (const { at, value } of rest.flatMap(({ series }) => series)) restBytes.set(at, (restBytes.get(at) ?? 0) + value);
  const mebibytes = (series: readonly Point[]): Point[] => series.map(({ at, value }) => ({ at, value: value / mebi }));
  return [
    ...all
      .filter((each) => !isSmall(each))
      .map(({ name, series }): Judged => {
        if (kept.has(name)) {
          const verdict = proportional(series, deposits, [Math.min(warmUpSeconds, end / 8), end], perDeposit);
          return { what: what(name), rule: 'grows with deposits', unit: 'bytes a deposit', ...verdict };
        }
        const rule = { what: what(name), rule: 'bounded', unit: 'MB' } as const;
        return { ...rule, ...bounded(mebibytes(series), trimmed, size) };
      }),
    {
      what: `${rest.length} small ${of} together`,
      rule: 'levels',
      unit: 'MB',
      ...levels(mebibytes([...restBytes].map(([at, value]) => ({ at, value }))), [0, end], size),
    },
  ];
}

function waits({ waiting, faults, perSecond }: History, to: number): Judged[] {
  const deposits = perSecond * underWaySeconds;
  const records = deposits * recordsOfDeposit;
  const judged = (what: string, unit: Judged['unit'], bound: number, valueOf: (at: Waiting) => number | undefined): Judged => {
    const series = waiting.flatMap((each) => {
      const value = valueOf(each);
      return value === undefined ? [] : [{ at: each.at, value }];
    });
    const verdict = returns(series, faults, { bound, limit: returnLimitSeconds, to });
    return { what, rule: `returns to ${bound} within ${returnLimitSeconds} s`, unit, ...verdict };
  };
  const groups = [...new Set(waiting.flatMap(({ lag }) => Object.keys(lag)))].toSorted();
  return [
    ...groups.map((group) => judged(`lag of ${group}`, 'rows', records, ({ lag }) => lag[group])),
    judged('events in the outbox', 'rows', records, ({ outbox }) => outbox),
    judged('screenings without a decision', 'rows', deposits, ({ undecided }) => undecided),
    judged('screenings without a result', 'rows', deposits, ({ unanswered }) => unanswered),
    judged('the oldest without a decision', 's', oldestBoundSeconds, ({ oldestSeconds }) => oldestSeconds),
  ];
}
