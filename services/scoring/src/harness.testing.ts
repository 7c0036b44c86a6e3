import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from '@weir/clock';
import { eventId, type ScreeningRequested, type ScreeningScored, screeningId } from '@weir/contracts';
import type { TestDatabase } from '@weir/postgres/testing';
import { startUpstream, type Upstream } from '@weir/risk-client/testing';
import { rateBudgetMigrations } from '@weir/rate-budget';
import { createApp, createLogger, type Metrics, type OpenPipeline, openPipeline, type Role, storeToken } from '@weir/service-kit';
import { vi } from 'vitest';
import { createPipelineDatabase, migrateFor, type TestRole } from '@weir/service-kit/testing';
import { scoringMigrations, type ScoringSettings, startScoring } from './index.ts';
import { settingsFor } from './settings.testing.ts';

export interface Replica {
  readonly metrics: Metrics;
  /** Its HTTP API, to the token `sesame` of this role. */
  ask(role: Role, path: string, body?: object): Promise<Response>;
  stop(): Promise<void>;
}

export interface Harness {
  readonly upstream: Upstream;
  readonly pipeline: OpenPipeline;
  readonly databaseUrl: string;
  replica(settings?: Partial<ScoringSettings> & { redisUrl?: string }, clock?: Clock): Promise<Replica>;
  request(requests: readonly ScreeningRequested[]): Promise<void>;
  scored(): Promise<ScreeningScored[]>;
  untilScored(count: number, timeoutMs?: number): Promise<ScreeningScored[]>;
  /** Waits until `count` lookups have failed, then lets the deadlines of their screenings pass. */
  failedAndLate(count: number): Promise<void>;
  /** Waits until `failed` lookups or more have failed. */
  untilFailed(failed: number): Promise<void>;
  /** Waits until `count` screenings wait for a result, then lets their deadlines pass. */
  late(count: number): Promise<void>;
  /** Waits until `count` results are published; makes delayed lookups due at once. */
  untilScoredInHaste(count: number): Promise<ScreeningScored[]>;
  close(): Promise<void>;
}

const scoringRole: TestRole = { service: 'scoring', modules: { scoring: scoringMigrations, 'rate-budget': rateBudgetMigrations } };

export async function openHarness(limits: { perSecond?: number; perDay?: number } = {}): Promise<Harness> {
  const db: TestDatabase = await createPipelineDatabase([scoringRole]);
  const upstream = await startUpstream(limits);
  const running = new Set<() => Promise<void>>();
  const open = async (databaseUrl: string, clock: Clock = systemClock): Promise<OpenPipeline> => {
    const logger = createLogger({ service: 'scoring', level: 'silent' });
    return openPipeline({ databaseUrl, clock, logger, retentionMs: 3_600_000 });
  };
  const pipeline = await open(db.url);
  const scored = async (): Promise<ScreeningScored[]> => {
    const partitions = await pipeline.log.partitions('screenings.scored');
    const records = await Promise.all(Array.from({ length: partitions }, (_, n) => pipeline.log.read('screenings.scored', n, 0n, 10_000)));
    return Promise.all(records.flat().map((record) => pipeline.codec.decode('screenings.scored', record.value)));
  };
  return {
    upstream,
    pipeline,
    databaseUrl: db.url,
    replica: async (settings = {}, clock = systemClock) => {
      const own = await open(await migrateFor(db, scoringRole), clock);
      const service = await startScoring(own, {
        ...settingsFor(upstream, { upstreamPerSecond: 1_000, upstreamPerDay: 1_000_000, rescreenPollMs: 100 }),
        ...settings,
      });
      const stop = async (): Promise<void> => {
        running.delete(stop);
        await service.stop();
        await own.close();
      };
      running.add(stop);
      const app = createApp(createLogger({ service: 'scoring', level: 'silent' }), service.operations);
      return {
        metrics: own.metrics,
        ask: async (role, path, body) => {
          await storeToken(db.pool, `sesame-${role}`, role, role);
          const headers = { authorization: `Bearer sesame-${role}`, ...(body && { 'content-type': 'application/json' }) };
          return app.request(path, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
        },
        stop,
      };
    },
    request: async (requests) => {
      await pipeline.log.publish(
        requests.map((data) => ({
          topic: 'screenings.requested',
          key: data.transfer.source_id,
          value: pipeline.codec.encode('screenings.requested', data),
          headers: { ce_id: eventId('screenings.requested', data.screening_id, data.attempt) },
        })),
      );
    },
    scored,
    untilScored: (count, timeoutMs = 20_000) =>
      vi.waitFor(
        async () => {
          const all = await scored();
          if (all.length < count) throw new Error(`${all.length} of ${count} results`);
          return all;
        },
        { timeout: timeoutMs, interval: 50 },
      ),
    failedAndLate: async (count) => {
      const { pool } = pipeline;
      await vi.waitFor(
        async () => {
          const { rowCount } = await pool.query('SELECT FROM scoring.lookups WHERE last_error IS NOT NULL');
          if (rowCount !== count) throw new Error(`${rowCount} of ${count} lookups have failed`);
        },
        { interval: 20 },
      );
      await pool.query(
        'UPDATE scoring.screenings s SET deadline_at = now() FROM scoring.lookups l WHERE l.lookup_id = s.lookup_id AND l.last_error IS NOT NULL',
      );
    },
    untilFailed: (failed) =>
      vi.waitFor(
        async () => {
          const { rowCount } = await pipeline.pool.query('SELECT FROM scoring.lookups WHERE last_error IS NOT NULL');
          if ((rowCount ?? 0) < failed) throw new Error(`${rowCount} of ${failed} lookups have failed`);
        },
        { interval: 20 },
      ),
    late: async (count) => {
      const { pool } = pipeline;
      await vi.waitFor(
        async () => {
          const { rowCount } = await pool.query(`SELECT FROM scoring.screenings WHERE state = 'waiting'`);
          if (rowCount !== count) throw new Error(`${rowCount} of ${count} screenings wait`);
        },
        { interval: 20 },
      );
      await pool.query(`UPDATE scoring.screenings SET deadline_at = now() WHERE state = 'waiting'`);
    },
    untilScoredInHaste: (count) =>
      vi.waitFor(
        async () => {
          await pipeline.pool.query('UPDATE scoring.lookups SET next_at = now() WHERE owner IS NULL AND next_at > now()');
          const all = await scored();
          if (all.length < count) throw new Error(`${all.length} of ${count} results`);
          return all;
        },
        { timeout: 40_000, interval: 200 },
      ),
    close: async () => {
      for (const stop of running) await stop();
      await pipeline.close();
      await upstream.close();
      await db.drop();
    },
  };
}

/** A deposit screened by its sender, unless `over` says otherwise. Its transfer matches the question in `over`. */
export function aRequest(over: Partial<ScreeningRequested> = {}): ScreeningRequested {
  const sourceId = randomUUID();
  const sender = `0x${sourceId.replaceAll('-', '').padStart(40, '0')}`;
  const now = Date.now();
  const kind = over.kind ?? (over.direction === 'withdraw' ? 'withdrawal' : 'deposit');
  const { chain = 'ethereum', coin = 'ETH', subject_type: type = 'address', subject = sender } = over;
  return {
    screening_id: screeningId(kind, sourceId),
    attempt: 1,
    renews_revision: null,
    token_id: null,
    warnings: [],
    kind,
    chain,
    coin,
    subject_type: type,
    subject,
    direction: kind === 'deposit' ? 'deposit' : 'withdraw',
    lane: 'deposit',
    fault: null,
    requested_at: now,
    deadline_at: now + 600_000,
    transfer: {
      kind,
      source_id: sourceId,
      chain,
      coin,
      txid: type === 'txid' ? subject : null,
      from_address: kind === 'deposit' && type === 'address' ? subject : sender,
      to_address: kind === 'withdrawal' ? subject : '0x28c6c06298d514db089934071355e5743bf21d60',
      amount: '1',
      usd_value: null,
      user_id: null,
      memo: null,
      occurred_at: now,
    },
    ...over,
  };
}
