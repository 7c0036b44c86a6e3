import type { Clock } from '@weir/clock';
import type { Action } from '@weir/contracts';
import { type Policy, type Verdict, windowKey } from '@weir/policy';
import type { Queryable } from '@weir/postgres';
import { judge } from './evidence.ts';
import { historyOf, windowsOf } from './history.ts';
import { readDecisions, type Selection, type StoredDecision } from './stored.ts';

/** One transfer of a cell. */
export interface Compared {
  readonly stored: StoredDecision;
  readonly verdict: Verdict;
}

export interface Backtest {
  readonly count: number;
  /** Count by `old:new`; pairs that did not occur are absent. */
  readonly cells: ReadonlyMap<CellName, number>;
  /** Seconds for reading the rows, and in all. */
  readonly readSeconds: number;
  readonly seconds: number;
  /** Decisions whose history was counted now, because their policy did not read it. */
  readonly recounted: number;
}

export type CellName = `${Action}:${Action}`;

/** Applies a policy to stored results, in the order they were decided. Calls `on.compared` for each and `on.page` with the number done. */
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

/** Keeps the stored history; counts the windows missing in it from the transfers known now. */
export async function withHistory(
  db: Queryable,
  policy: Policy,
  decisions: readonly StoredDecision[],
): Promise<{ decisions: readonly StoredDecision[]; recounted: number }> {
  const windows = windowsOf(policy);
  const keysOf = ({ evidence }: StoredDecision): Set<string> => new Set(evidence.history.map(windowKey));
  const lacking = decisions.filter((decision) => {
    const keys = keysOf(decision);
    return decision.transfer.user_id !== null && windows.some((window) => !keys.has(windowKey(window)));
  });
  if (lacking.length === 0) return { decisions, recounted: 0 };
  const counted = await historyOf(db, windows, lacking);
  const byDecision = new Map(lacking.map((decision, n) => [decision, counted[n] ?? []]));
  const complete = decisions.map((decision): StoredDecision => {
    const keys = keysOf(decision);
    const more = (byDecision.get(decision) ?? []).filter((value) => !keys.has(windowKey(value)));
    const { evidence } = decision;
    return more.length === 0 ? decision : { ...decision, evidence: { ...evidence, history: [...evidence.history, ...more] } };
  });
  return { decisions: complete, recounted: lacking.length };
}
