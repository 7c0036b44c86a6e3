import type { Queryable } from '@weir/postgres';
import { createResolutions } from '@weir/reviews/testing';
import { openTestStack, type TestRole, type TestService, type TestStack } from '@weir/service-kit/testing';
import { decisionMigrations, startDecision } from './index.ts';

export const decisionRole: TestRole = { service: 'decision', modules: { decision: decisionMigrations } };

/** A decision service with the default policy, in its role, beside the table of the console's resolutions. */
export async function openDecision(): Promise<{ stack: TestStack; decision: TestService }> {
  const stack = await openTestStack({ roles: [decisionRole] });
  await createResolutions(stack.db.pool);
  const decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }), {
    role: decisionRole,
  });
  return { stack, decision };
}

/** The part of the audit log that a replay reads, with the decisions published so far. */
export async function recordPublished(db: Queryable): Promise<void> {
  await db.query(`CREATE SCHEMA audit;
    CREATE TABLE audit.entries (event_id uuid PRIMARY KEY, topic text NOT NULL, value bytea NOT NULL);
    INSERT INTO audit.entries SELECT (r.headers ->> 'ce_id')::uuid, t.name, r.value FROM log.records r JOIN log.topics t ON t.id = r.topic
      WHERE t.name = 'screenings.decided'`);
}
