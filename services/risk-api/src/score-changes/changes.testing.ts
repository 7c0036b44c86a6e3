import { randomUUID } from 'node:crypto';
import type { LabelRow, TransferRow } from '@weir/chain-import';
import { createRiskStore } from '@weir/chain-store';
import { address, label as labelRow, transfer as transferRow, txid } from '@weir/chain-store/testing';
import { type Clock, systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import type { Assessment, RiskStore } from '@weir/risk-engine';
import { createLogger } from '@weir/service-kit';
import { createRiskDatabase } from '../testing/database.ts';
import { hashKey } from '../keys/keys.ts';
import { RunRecords } from '../runs/runs.ts';
import type { Subject } from '../subject.ts';
import { type Outcome, work } from '../runs/work.ts';
import { changesAfter } from './feed.ts';
import { loadLabels, loadTransfers } from './imports.ts';
import { ChangeProcessor } from './processor.ts';
import { Watches } from './watches.ts';

/** Allowed clock difference between replicas. */
export const clocksAgreeMs = 5_000;
const watchMs = 7_776_000_000;
const cacheMs = 3_600_000;

const silent = createLogger({ service: 'test', level: 'fatal', destination: { write: () => undefined } });

export const addressOf = (n: number): Subject => ({ chain: 'ethereum', kind: 'address', value: address(n), direction: 'deposit' });
export const txidOf = (n: number, direction: Subject['direction']): Subject => ({
  chain: 'ethereum',
  kind: 'txid',
  value: txid(n),
  direction,
});
export const nameOf = ({ kind, value, direction }: Subject): string =>
  kind === 'address' ? `address ${Number(value)}` : `${direction} ${Number(value)}`;

export interface ChangesWorld {
  readonly database: TestDatabase;
  readonly records: RunRecords;
  /** `[from, to, usd]`; the n-th has transaction id n, from 1. */
  transfers(rows: readonly (readonly [from: number, to: number, usd: number])[]): Promise<void>;
  label(of: number, over?: Partial<LabelRow>): Promise<void>;
  /** Computes a score for a key, or returns the fresh one. */
  score(subject: Subject, options?: { key?: string; store?: RiskStore }): Promise<Assessment>;
  cached(subject: Subject): Promise<Assessment | undefined>;
  processor(pool?: Pool): ChangeProcessor;
  /** Runs until nothing is left. Returns how many notifications were published. */
  settle(processor?: ChangeProcessor): Promise<number>;
  /** Names of the subjects published to the key, in order. */
  changed(key?: string, after?: bigint): Promise<string[]>;
  close(): Promise<void>;
}

export async function openChangesWorld(clock: Clock = systemClock): Promise<ChangesWorld> {
  const database = await createRiskDatabase();
  const { pool } = database;
  const records = new RunRecords(pool);
  const store = createRiskStore(pool);
  const watches = new Watches({ db: pool, clock, settings: { watchMs } });
  const since = (): Date => new Date(clock.now() - cacheMs);
  let notified = 0;
  let transfers = 0;
  const world: ChangesWorld = {
    database,
    records,
    transfers: async (rows) => {
      const all = rows.map(([from, to, usd]): TransferRow => {
        transfers += 1;
        return { ...transferRow, txid: txid(transfers), from_address: address(from), to_address: address(to), usd_value: String(usd) };
      });
      await loadTransfers(pool, all);
    },
    label: async (of, over = {}) =>
      void (await loadLabels(pool, [{ ...labelRow, address: address(of), category: 'theft', confidence: 1, ...over }])),
    score: async (subject, options = {}) => {
      await watches.note(hashKey(options.key ?? 'k'), subject);
      const { run } = await records.findOrStart(subject, { newId: randomUUID(), now: new Date(clock.now()), since: since() });
      if (run.state === 'done') return run.result;
      const settings = { records, clock, logger: silent, requeueAfterMs: clocksAgreeMs, scoreLimitMs: 60_000 };
      const outcome: Outcome = await work({ ...settings, store: options.store ?? store }, run.id);
      const done = await records.find(run.id);
      if (outcome !== 'done' || done?.state !== 'done') throw new Error(`the score is ${outcome}`);
      return done.result;
    },
    cached: async (subject) => (await records.findDone(subject, since()))?.result,
    processor: (on = pool) =>
      new ChangeProcessor({
        pool: on,
        clock,
        clocksAgreeMs,
        onNotified: (count) => {
          notified += count;
        },
      }),
    settle: async (processor = world.processor()) => {
      notified = 0;
      for (let step = 0; await processor.step(); step += 1) if (step > 1_000) throw new Error('there is no end of changes');
      return notified;
    },
    changed: async (key = 'k', after = 0n) => {
      const page = await changesAfter(pool, hashKey(key), after, 10_000);
      return (page?.changes ?? []).map(({ subject }) => nameOf(subject));
    },
    close: () => database.drop(),
  };
  return world;
}
