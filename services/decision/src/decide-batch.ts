import type { HistoryWindow, ReviewResolved, ScreeningDecided } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import type { ReviewSettings } from '@weir/reviews';
import type { Outbox, Step } from '@weir/service-kit';
import { type Cause, isMachine, isRenewal, type MachineCause } from './causes.ts';
import { decideCauses } from './decide-causes.ts';
import type { Policies } from './evidence.ts';
import { historyOf, lockUsers, windowsOf } from './history.ts';
import type { PoliciesInForce } from './policies.ts';
import { readReviews } from './resolved.ts';
import { earlier, lock, receive, register, save, type ScreeningRow, storeRenewals } from './screening-store.ts';
import { storeValues } from './transfer-values.ts';

export interface Decided extends Step {
  readonly made: readonly ScreeningDecided[];
  /** Resolutions of superseded revisions, without effect. */
  readonly superseded: readonly ReviewResolved[];
}

export interface Decider {
  readonly outbox: Outbox;
  readonly inForce: PoliciesInForce;
  readonly reviews: ReviewSettings;
}

/**
 * Registers the screenings and decides:
 * - A repeated cause gives the stored decision again.
 * - A result older than the one decided on gives none.
 * - An automatic result overrides people only if the allow has expired.
 * - A resolution counts for its own revision only.
 * Throws `PoisonRecord` for a resolution that the console did not store so or the review rules forbid, and for a result about another
 * subject.
 */
export async function decideBatch(
  tx: Queryable,
  { outbox, inForce, reviews }: Decider,
  causes: readonly Cause[],
  now: number,
): Promise<Decided> {
  const deciding = causes.filter((cause) => cause.kind !== 'requested');
  const renewals = causes.filter(isRenewal);
  const machine = deciding.filter(isMachine);
  const decidedIds = new Set(machine.map(({ event }) => event.screening_id));
  const registered = register(
    tx,
    causes.filter(isMachine).filter(({ event }) => !decidedIds.has(event.screening_id)),
  );
  if (deciding.length === 0 && renewals.length === 0) {
    await registered;
    return { events: [], made: [], superseded: [] };
  }
  const [, policies] = await Promise.all([registered, inForce.read(tx)]);
  await lockHistory(tx, policies, machine);
  // All rows at once, in one order: a second statement could deadlock.
  const rows = await lock(tx, [...deciding, ...renewals]);
  const created = await receive(tx, machine, rows);
  await storeRenewals(tx, renewals);
  // Most have no decision yet, and so no earlier one.
  const before = await earlier(
    tx,
    deciding.filter(({ event }) => (rows.get(event.screening_id)?.revision ?? 0) > 0),
  );
  await storeValues(tx, policies.active, deciding, rows);
  const history = await readHistory(tx, policies, rows);
  const reviewed = await readReviews(
    tx,
    deciding.flatMap((cause) => (isMachine(cause) ? [] : cause.event)),
  );
  const { made, superseded } = decideCauses(deciding, { rows, done: new Set(before.keys()), policies, history, reviewed, reviews, now });
  const [, repeats] = await Promise.all([save(tx, made, { rows, created }), outbox.repeat(tx, [...before.values()])]);
  return { events: made.map(({ event }) => event), repeats, made: made.map(({ decided }) => decided), superseded };
}

/** Only for policies that read history. Before any row lock, so that no two batches deadlock. */
async function lockHistory(tx: Queryable, policies: Policies, causes: readonly MachineCause[]): Promise<void> {
  if (windowsOf(policies.active, policies.shadow).length === 0) return;
  await lockUsers(
    tx,
    causes.map(({ event }) => event.transfer),
  );
}

/** The history that the policies may read, by screening. */
async function readHistory(
  tx: Queryable,
  policies: Policies,
  rows: ReadonlyMap<string, ScreeningRow>,
): Promise<Map<string, HistoryWindow[]>> {
  const windows = windowsOf(policies.active, policies.shadow);
  if (windows.length === 0) return new Map();
  const found = await historyOf(tx, windows, [...rows.values()]);
  return new Map([...rows.keys()].map((id, n) => [id, found[n] ?? []]));
}
