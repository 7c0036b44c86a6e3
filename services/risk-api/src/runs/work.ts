import { type Clock, repeat, within } from '@weir/clock';
import { PostgresError } from '@weir/postgres';
import { type Assessment, type RiskStore, scoreAddress, scoreTransaction } from '@weir/risk-engine';
import type { Logger } from '@weir/service-kit';
import { recordReads } from './read-set.ts';
import type { RunRecords, TakenRun } from './runs.ts';
import type { Subject } from '../subject.ts';

export interface WorkOptions {
  readonly records: RunRecords;
  readonly store: RiskStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Lease: another worker may take a run that was not renewed for this long. */
  readonly requeueAfterMs: number;
  readonly scoreLimitMs: number;
}

/** `left`: nothing to do, or another worker owns it. */
export type Outcome = 'done' | 'failed' | 'left';

/** A run that ended its process this often is not started again automatically. */
const mostAttempts = 5;

/**
 * Safe to call twice for one run, even concurrently. An error or the time limit fails the run. Rejects when the database is unavailable,
 * and gives the run back.
 */
export async function work(options: WorkOptions, runId: string): Promise<Outcome> {
  const { records, clock, logger, requeueAfterMs } = options;
  const begun = clock.now();
  const taken = await records.begin(runId, { now: new Date(begun), deadBefore: new Date(begun - requeueAfterMs) });
  if (taken === undefined) return 'left';
  if (taken.attempts > mostAttempts) return fail(options, runId, new Error(`a score was begun ${mostAttempts} times and never ended`));
  const over = new AbortController();
  const alive = stayAlive(options, runId, over.signal);
  try {
    await computeAndStore(options, runId, taken);
    return 'done';
  } catch (error) {
    if (!(error instanceof PostgresError && error.retriable)) return await fail(options, runId, error);
    await records.release(runId).catch((err: unknown) => logger.warn({ err }, 'a run could not be given back; it will be taken for dead'));
    throw error;
  } finally {
    over.abort();
    await alive;
  }
}

/** A label change during a computation costs another turn. The last turn is stored, and published as changed. */
const mostTurns = 3;

async function computeAndStore(options: WorkOptions, runId: string, { subject, labelsVersion: begunVersion }: TakenRun): Promise<void> {
  const { records, store, clock } = options;
  let labelsVersion: bigint | undefined = begunVersion;
  for (let turn = 1; labelsVersion !== undefined; turn += 1) {
    const begun = clock.now();
    const noted = recordReads(store);
    const result = await limited({ ...options, store: noted.store }, subject, begun);
    const scored = { result, scannedAt: new Date(begun), labelsVersion, readSet: noted.readSet() };
    labelsVersion = await records.finish(runId, scored, { last: turn === mostTurns });
  }
}

async function fail({ records, logger }: WorkOptions, runId: string, error: unknown): Promise<'failed'> {
  logger.error({ err: error }, 'a score could not be computed');
  await records.fail(runId);
  return 'failed';
}

/** Five renewals fit into one lease. */
async function stayAlive({ records, clock, logger, requeueAfterMs }: WorkOptions, runId: string, over: AbortSignal): Promise<void> {
  const every = requeueAfterMs / 5;
  const onError = (err: unknown): void => logger.warn({ err }, 'a run could not be kept');
  await repeat({ clock, every, firstAfter: every, signal: over, onError }, async () => {
    await records.stayAlive(runId, new Date(clock.now()));
  });
}

class TooLong extends Error {}

/** The score, or `TooLong`. The store then refuses further reads, so the computation ends soon. */
async function limited({ store, clock, scoreLimitMs }: WorkOptions, subject: Subject, atMs: number): Promise<Assessment> {
  const late = (): never => {
    throw new TooLong(`a score took longer than ${scoreLimitMs} ms`);
  };
  return within(clock, scoreLimitMs, (over) => scoreSubject(untilEnded(store, over), subject, atMs), { late });
}

function untilEnded(store: RiskStore, ended: AbortSignal): RiskStore {
  const still = <T>(ask: () => Promise<T>): Promise<T> => (ended.aborted ? Promise.reject(new TooLong('the score was given up')) : ask());
  return {
    hasContracts: (chain) => store.hasContracts(chain),
    labelsOf: (...of) => still(() => store.labelsOf(...of)),
    flows: (...of) => still(() => store.flows(...of)),
    histories: (...of) => still(() => store.histories(...of)),
    movementsIn: (...of) => still(() => store.movementsIn(...of)),
    mintsIn: (...of) => still(() => store.mintsIn(...of)),
    receiptsOf: (...of) => still(() => store.receiptsOf(...of)),
    transfersOf: (...of) => still(() => store.transfersOf(...of)),
    drawKey: () => still(() => store.drawKey()),
  };
}

export function scoreSubject(store: RiskStore, subject: Subject, atMs: number): Promise<Assessment> {
  return subject.kind === 'address'
    ? scoreAddress(store, subject.chain, subject.value, atMs)
    : scoreTransaction(store, subject.chain, subject.value, subject.direction, atMs);
}
