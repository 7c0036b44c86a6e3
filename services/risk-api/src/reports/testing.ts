import { randomBytes } from 'node:crypto';
import type { Clock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { type Assessment, unknown } from '@weir/risk-engine';
import { createLogger } from '@weir/service-kit';
import { Hono } from 'hono';
import { sendFailure, toFailure } from '../http/envelope.ts';
import { createRiskDatabase } from '../testing/database.ts';
import { createReports, type Reports, type ReportsDependencies } from './reports.ts';
import type { ScanQuery } from './query.ts';

export const origin = 'https://risk.example';
export const lazarus = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';

export interface TestReports {
  readonly database: TestDatabase;
  /** One replica with its own cached keys. */
  open(options: { clock: Clock; ttlMs?: number; assess?: () => Promise<Assessment>; sandbox?: ReportsDependencies['sandbox'] }): Replica;
  stop(): Promise<void>;
}

export interface Replica extends Reports {
  get(url: string, method?: string): Promise<Response>;
  readonly logs: () => string;
}

export async function openTestReports(): Promise<TestReports> {
  const database = await createRiskDatabase();
  return {
    database,
    open: ({ clock, ttlMs = 86_400_000, assess = async () => unknown, sandbox = () => undefined }) => {
      const lines: string[] = [];
      const logger = createLogger({ service: 'test', level: 'trace', destination: { write: (line) => void lines.push(line) } });
      const reports = createReports({
        db: database.pool,
        clock,
        logger,
        random: randomBytes,
        settings: { reportTtlMs: ttlMs },
        assess,
        sandbox,
      });
      const app = new Hono();
      reports.routes(app);
      app.onError((error, c) => {
        logger.error({ err: error });
        return sendFailure(c, toFailure(error));
      });
      return { ...reports, logs: () => lines.join(''), get: async (url, method = 'GET') => app.request(url, { method }) };
    },
    stop: () => database.drop(),
  };
}

/** The record of a result given to a caller. */
export async function storeResult(database: TestDatabase, query: ScanQuery, result: Assessment): Promise<void> {
  await database.pool.query(
    `INSERT INTO risk.runs (id, chain, kind, subject, direction, state, result, scanned_at, created_at, enqueued_at)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, 'done', $5, $6, $6, $6)`,
    [query.chain, query.kind, query.subject, query.direction, JSON.stringify(result), new Date(query.scannedAt * 1000 + 250)],
  );
}
