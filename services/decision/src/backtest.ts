import type { Clock } from '@weir/clock';
import type { Action } from '@weir/contracts';
import { type Policy, type Verdict, windowKey } from '@weir/policy';
import type { Queryable } from '@weir/postgres';
import { judge } from './evidence.ts';
import { historyOf, windowsOf } from './history.ts';
import { readDecisions, type Selection, type StoredDecision } from './stored.ts';

/** One transfer behind a cell. */
export interface Compared {
  readonly stored: StoredDecision;
  readonly verdict: Verdict;
}

export interface Backtest {
  readonly count: number;
  /** How many, by `old:new`; what did not occur is absent. */
  readonly cells: ReadonlyMap<CellName, number>;
  /** Seconds that reading the rows took, and all together. */
  readonly readSeconds: number;
  readonly seconds: number;
  /** Decisions whose history was counted now, for the policy of then did not look at it. */
  readonly recounted: number;
}

export type CellName = `${Action}:${Action}`;

/** Asks a policy about stored results, in the order they were decided. `onCompared` is told of each, `onPage` of how many are done. */
export async function backtest(
  db: Queryable,
  clock: Clock,
  policy: Policy,
  selection: Selection,
  on: { compared?(compared: Compared, cell: CellName): void; page?(count: number): void } = {},
): Promise<Backtest> {
  const cells = new Map<CellName, number>();
  let [count, recounted, readMs] = [0, 0, 0];
  const began = clock.monotonic();
  const pages = readDecisions(db, { ...selection, lastOnly: true });
  for (;;) {
    const reading = clock.monotonic();
    const page = await pages.next();
    readMs += clock.monotonic() - reading;
    if (page.done === true) break;
    const complete = await withHistory(db, policy, page.value);
    recounted += complete.recounted;
    for (const stored of complete.decisions) {
      const verdict = judge(policy, stored);
      const cell: CellName = `${stored.action}:${verdict.action}`;
      cells.set(cell, (cells.get(cell) ?? 0) + 1);
      on.compared?.({ stored, verdict }, cell);
    }
    count += page.value.length;
    on.page?.(count);
  }
  return { count, cells, recounted, readSeconds: readMs / 1_000, seconds: (clock.monotonic() - began) / 1_000 };
}

/** What was seen of history stays; windows that nobody looked at then are counted from the transfers known now. */
export async function withHistory(
  db: Queryable,
  policy: Policy,
  decisions: readonly StoredDecision[],
): Promise<{ decisions: readonly StoredDecision[]; recounted: number }> {
  const windows = windowsOf(policy);
  const keysOf = ({ evidence }: StoredDecision): Set<string> =>
    new Set(evidence.history.map(({ of, kind, window_ms }) => windowKey({ of: of as 'user', kind, windowMs: window_ms })));
  const lacking = decisions.filter((decision) => {
    const keys = keysOf(decision);
    return decision.transfer.user_id !== null && windows.some((window) => !keys.has(windowKey(window)));
  });
  if (lacking.length === 0) return { decisions, recounted: 0 };
  const counted = await historyOf(db, windows, lacking);
  const byDecision = new Map(lacking.map((decision, n) => [decision, counted[n] ?? []]));
  const complete = decisions.map((decision): StoredDecision => {
    const keys = keysOf(decision);
    const more = (byDecision.get(decision) ?? []).filter(
      ({ of, kind, window_ms }) => !keys.has(windowKey({ of: of as 'user', kind, windowMs: window_ms })),
    );
    const { evidence } = decision;
    return more.length === 0 ? decision : { ...decision, evidence: { ...evidence, history: [...evidence.history, ...more] } };
  });
  return { decisions: complete, recounted: lacking.length };
}
