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
import { startTestServer } from '@weir/postgres/testing';
import { createDescribedApp, createLogger, loadConfig, type Operation, type Role, roles, serve, storeToken } from '@weir/service-kit';
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
  for (const id of ['d-1', 'd-2', 'd-3']) {
    await publishTo(decision.pipeline, 'screenings.requested', requested(id));
    await publishTo(decision.pipeline, 'screenings.scored', scored(id, 1, 1, { score: 80, risk_level: 'High' }));
  }
  for (const group of ['decision', 'console', 'audit-writer']) await caughtUp(decision.pipeline, group);
  const tokens = Object.fromEntries(roles.map((role) => [role, randomBytes(24).toString('hex')])) as Record<Role, string>;
  for (const role of roles) await storeToken(stack.db.pool, tokens[role], role, role);
  const operations = parts.flatMap(({ service }) => service.operations ?? []);
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
      await stack.close();
      await stopServer();
      rmSync(auditDir, { recursive: true });
    },
  };
}
