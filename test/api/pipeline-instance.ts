import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAuditWriter } from '@weir/audit-writer';
import { consoleSchema, startConsole } from '@weir/console';
import { screeningId } from '@weir/contracts';
import { requested, scored } from '@weir/contracts/testing';
import { startDecision } from '@weir/decision';
import { startDepositIngest } from '@weir/deposit-ingest';
import { migrate, type Pool } from '@weir/postgres';
import { startTestServer } from '@weir/postgres/testing';
import { postgresBudget, rateBudgetMigrations } from '@weir/rate-budget';
import { RiskClient } from '@weir/risk-client';
import { startUpstream } from '@weir/risk-client/testing';
import { specifiedProvider } from '@weir/risk-provider';
import { PacedCalls, scoringMigrations, scoringOperations } from '@weir/scoring';
import {
  createDescribedApp,
  createLogger,
  loadConfig,
  type Operation,
  type Pipeline,
  type Role,
  roles,
  serve,
  storeToken,
} from '@weir/service-kit';
import { caughtUp, openTestStack, publishTo, type TestService } from '@weir/service-kit/testing';
import { startWithdrawalGate, withdrawalGateSchema } from '@weir/withdrawal-gate';
import { countRequests } from './requests.ts';

export interface PipelineApi {
  readonly url: string;
  readonly operations: readonly Operation[];
  /** Made for this instance. */
  readonly tokens: Readonly<Record<Role, string>>;
  /** Of a held deposit. */
  readonly heldId: string;
  requests(): ReadonlyMap<string, number>;
  stop(): Promise<void>;
}

/** The operations of a port in embedded mode, with three held deposits. Nothing scores, so that further transfers stay pending. */
export async function startPipelineApi(): Promise<PipelineApi> {
  const stopServer = await startTestServer();
  const stack = await openTestStack();
  const settings = {
    redisUrl: '',
    kafkaBrokers: '',
    ...loadConfig(withdrawalGateSchema, {}),
    permitKeySecret: randomBytes(32).toString('hex'),
  };
  const auditDir = mkdtempSync(join(tmpdir(), 'weir-api-audit-'));
  const decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
  const parts: TestService[] = [
    await stack.service((pipeline) => startAuditWriter(pipeline, { auditBatch: 500, auditDir })),
    await stack.service((pipeline) => startDepositIngest(pipeline, { depositDeadlineMs: 600_000 })),
    await stack.service((pipeline) => startWithdrawalGate(pipeline, settings)),
    decision,
    await stack.service((pipeline) => startConsole(pipeline, loadConfig(consoleSchema, {}))),
  ];
  const scoring = await openScoring(stack.db.pool, decision.pipeline);
  for (const id of ['d-1', 'd-2', 'd-3']) {
    await publishTo(decision.pipeline, 'screenings.requested', requested(id));
    await publishTo(decision.pipeline, 'screenings.scored', scored(id, 1, 1, { score: 80, risk_level: 'High' }));
  }
  for (const group of ['decision', 'console', 'audit-writer']) await caughtUp(decision.pipeline, group);
  const tokens = Object.fromEntries(roles.map((role) => [role, randomBytes(24).toString('hex')])) as Record<Role, string>;
  for (const role of roles) await storeToken(stack.db.pool, tokens[role], role, role);
  const operations = [...parts.flatMap(({ service }) => service.operations ?? []), ...scoring.operations];
  const logger = createLogger({ service: 'pipeline', level: 'error' });
  const health = {
    unavailable: () => decision.pipeline.unavailable(),
    expose: (accept?: string) => decision.pipeline.metrics.expose(accept),
  };
  const counted = countRequests(createDescribedApp({ ...decision.pipeline, logger, operations, health }));
  const server = await serve(counted, { host: '127.0.0.1', port: 0 });
  return {
    url: `http://127.0.0.1:${server.port}`,
    operations,
    tokens,
    heldId: screeningId('deposit', 'd-1'),
    requests: counted.requests,
    stop: async () => {
      await server.close(500);
      await scoring.close();
      await stack.close();
      await stopServer();
      rmSync(auditDir, { recursive: true });
    },
  };
}

/** The operations for people of scoring, with a scripted risk API. */
async function openScoring(pool: Pool, pipeline: Pipeline): Promise<{ operations: readonly Operation[]; close(): Promise<void> }> {
  for (const [name, migrations] of [
    ['scoring', scoringMigrations],
    ['rate-budget', rateBudgetMigrations],
  ] as const)
    await migrate(pool, name, migrations);
  const upstream = await startUpstream();
  const explorer = new RiskClient({ baseUrl: upstream.url, apiKey: upstream.apiKey, keyIn: 'spec' });
  const provider = specifiedProvider(explorer, { name: 'scripted', limits: { perSecond: 1_000, perDay: 1_000_000 } });
  const { clock } = pipeline;
  const budget = postgresBudget({ pool, name: provider.name, limits: provider.limits });
  const calls = new PacedCalls({ budget, limits: provider.limits, clock, onStale: () => undefined });
  const providers = [{ role: 'deciding', name: provider.name, kind: 'specified' }] as const;
  const operations = scoringOperations({ ...pipeline, pool }, { provider, explorer, calls, budget, providers, maxAnswerAgeMs: 3_600_000 });
  const close = async (): Promise<void> => {
    await calls.stop();
    await upstream.close();
  };
  return { operations, close };
}
