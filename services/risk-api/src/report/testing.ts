import { randomBytes } from 'node:crypto';
import type { Clock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { type Assessment, type Exposure, unknown } from '@weir/risk-engine';
import { createLogger } from '@weir/service-kit';
import { Hono } from 'hono';
import { extractText, getDocumentProxy } from 'unpdf';
import { sendFailure, toFailure } from '../http/envelope.ts';
import { riskApiMigrations, riskApiModule } from '../migrations.ts';
import { sandboxTargets } from '../sandbox/targets.ts';
import { createReports, type Reports } from './index.ts';
import type { ScanQuery } from './query.ts';
import { exposureParts, type Report } from './report.ts';

export const origin = 'https://risk.example';
export const lazarus = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';

export interface TestReports {
  readonly database: TestDatabase;
  /** One replica with its own cached keys. */
  open(options: { clock: Clock; ttlMs?: number; assess?: () => Promise<Assessment> }): Replica;
  stop(): Promise<void>;
}

export interface Replica extends Reports {
  get(url: string, method?: string): Promise<Response>;
  readonly logs: () => string;
}

export async function openTestReports(): Promise<TestReports> {
  const database = await createTestDatabase();
  await migrate(database.pool, riskApiModule, riskApiMigrations);
  return {
    database,
    open: ({ clock, ttlMs = 86_400_000, assess = async () => unknown }) => {
      const lines: string[] = [];
      const logger = createLogger({ service: 'test', level: 'trace', destination: { write: (line) => void lines.push(line) } });
      const reports = createReports({
        db: database.pool,
        clock,
        logger,
        random: randomBytes,
        settings: { reportTtlMs: ttlMs },
        assess,
        sandbox: (target) => sandboxTargets.find(({ address, txid }) => (address ?? txid) === target),
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

export function mixerExposure(more: Partial<Exposure> = {}): Exposure {
  return {
    entity: 'Tornado.Cash',
    riskType: 'mixer',
    exposureType: 'direct',
    hopNum: 1,
    volume: 1_250_000.5,
    percent: 31.2,
    sources: ['a public tag pack'],
    ...more,
  };
}

const flow = (usd: number, transfers: number, unknownTransfers: number) => ({ usd, transfers, unknownTransfers });

/** An address funded by a mixer and a theft. */
export const assessment: Assessment = {
  score: 74,
  level: 'High',
  coverage: 'full',
  detailList: ['Interact With Malicious Address', 'Interact With High-risk Tag Address'],
  hackingEvent: 'Ronin Bridge Hack',
  addressLabel: 'Unhosted wallet 7',
  contributions: [
    { key: 'base', points: 3 },
    { key: 'exposure:mixer', points: 64.3 },
    { key: 'indirect:theft', points: 6.7 },
  ],
  counterfactuals: [{ without: 'exposure:mixer', score: 28, level: 'Low' }],
  exposures: [
    mixerExposure(),
    mixerExposure({
      entity: 'Ronin Bridge Hack',
      riskType: 'illicit_activity',
      exposureType: 'indirect',
      hopNum: 3,
      volume: 540_000,
      percent: 13.48,
      hopDic: {
        '1': ['0x08723392ed15743cc38513c4925f5e6be5c17243'],
        '2': ['0x28c6c06298d514db089934071355e5743bf21d60'],
        '3': ['Ronin Bridge Hack'],
      },
    }),
  ],
  labels: [{ name: 'Unhosted wallet 7', category: 'ordinary', confidence: 0.6, source: 'a public tag pack' }],
  sides: {
    in: { total: flow(2_000_000, 240, 3), risk: 0.4, services: 0.3, ends: 0.2, returned: 0, bound: 0.1, expanded: 340 },
    out: { total: flow(0, 0, 0), risk: 0, services: 0, ends: 1, returned: 0, bound: 0, expanded: 0 },
  },
};

const scannedAtMs = Date.UTC(2026, 6, 16, 9, 30, 5);

/** The report of it, as given to the renderer. */
export function reportOf(result: Assessment = assessment, more: Partial<Report> = {}): Report {
  const { contributions, counterfactuals, sides, exposures, ...rest } = result;
  return {
    chain: 'ethereum',
    kind: 'address',
    subject: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
    coin: 'ETH',
    direction: 'deposit',
    scannedAtMs,
    lostScanAtMs: undefined,
    madeAtMs: scannedAtMs + 3_600_000,
    version: '1.2.3',
    sandbox: undefined,
    uncountedLabels: [],
    ...rest,
    grounds: { contributions, counterfactuals, sides },
    worstAddress: result.worstAddress,
    ...exposureParts(exposures),
    ...more,
  };
}

/** The text of all pages as one line with single blanks, and the number of pages. */
export async function readPdf(pdf: Uint8Array): Promise<{ text: string; pages: number }> {
  // The reader transfers the buffer it is given.
  const { text, totalPages } = await extractText(await getDocumentProxy(pdf.slice()), { mergePages: true });
  return { text: text.replace(/\s+/g, ' '), pages: totalPages };
}
