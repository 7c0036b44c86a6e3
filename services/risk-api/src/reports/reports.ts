import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Assessment } from '@weir/risk-engine';
import type { Report } from '@weir/risk-report';
import type { Logger } from '@weir/service-kit';
import type { Hono } from 'hono';
import manifest from '../../package.json' with { type: 'json' };
import { Failure } from '../failure.ts';
import type { Description } from '../http/operation.ts';
import type { Subject } from '../subject.ts';
import { ReportKeys } from './keys.ts';
import type { ReportQuery, SandboxQuery } from './query.ts';
import { renderApart } from './renderer.ts';
import { reportPage, reportRoutes } from './routes.ts';
import { scanReport } from './scan-report.ts';
import { ReportTokens } from './token.ts';
import { Turns } from './turns.ts';

export interface ReportSettings {
  /** Lifetime of a report's URL. */
  readonly reportTtlMs: number;
}

export interface ReportsDependencies {
  /** Has `risk.runs`, `risk.report_keys` and `chain.labels`. */
  readonly db: Queryable;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly random: (bytes: number) => Buffer;
  readonly settings: ReportSettings;
  /** Scores a subject by the data known at `atMs`, if the result is no longer stored. */
  readonly assess: (subject: Subject, atMs: number) => Promise<Assessment>;
  /** The report of a predefined result; undefined for an unknown target. */
  readonly sandbox: (query: SandboxQuery, made: { readonly atMs: number; readonly version: string }) => Report | undefined;
}

export interface Reports {
  /** The URL of a report below `origin` (`https://host[:port]`, without a trailing slash). Costs one HMAC. */
  url(query: ReportQuery, origin: string): Promise<string>;
  readonly pages: readonly Description[];
  readonly openPaths: readonly string[];
  /** Adds `GET /v1/risk_report`. */
  routes(app: Hono): void;
}

/** Each takes a core for a second, at low priority, and 100 MB. */
const atOnce = 2;
/** As many as two at once finish within the limit, with a margin. */
const waiting = 16;
const limitMs = 20_000;

/** PDF reports, made on request. */
export function createReports(deps: ReportsDependencies): Reports {
  const { db, clock, logger, random, settings } = deps;
  const keys = new ReportKeys({ db, clock, random, tokenLifeMs: settings.reportTtlMs });
  const tokens = new ReportTokens({ keys, clock, lifeMs: settings.reportTtlMs });
  const turns = new Turns({ clock, atOnce, waiting, limitMs });
  const make = (query: ReportQuery, gone: AbortSignal): Promise<{ report: Report; pdf: Uint8Array<ArrayBuffer> }> =>
    turns.run(async (signal) => {
      const start = clock.monotonic();
      const report = await reportOf(deps, query);
      const pdf = await renderApart(report, signal);
      logger.info({ bytes: pdf.length, duration_ms: Math.round(clock.monotonic() - start) }, 'report made');
      return { report, pdf };
    }, gone);
  return {
    url: async (query, origin) => `${origin}${reportPage.path}?access_token=${await tokens.sign(query)}`,
    pages: [reportPage],
    openPaths: [reportPage.path],
    routes: (app) => reportRoutes(app, { tokens, make }),
  };
}

async function reportOf({ db, clock, assess, sandbox }: ReportsDependencies, query: ReportQuery): Promise<Report> {
  const { version } = manifest;
  if (!('sandbox' in query)) return scanReport({ db, clock, assess, version }, query);
  const report = sandbox(query, { atMs: clock.now(), version });
  // The signature is valid but the target unknown: another version made the URL.
  if (report === undefined) throw new Failure('InvalidAccessToken');
  return report;
}
