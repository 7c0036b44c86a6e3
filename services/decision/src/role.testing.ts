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
