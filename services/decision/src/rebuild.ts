import { publishAgain, type Rebuild } from '@weir/service-kit';
import { decidedEvent } from './decided-event.ts';
import { toDecision } from './evidence.ts';
import { KeptPolicies } from './policies.ts';
import { readDecisions } from './stored.ts';

const batchSize = 250;

/** Makes the policy's decisions again whose event is lost, publishes them, and returns their number. */
export async function rebuildDecisions(of: Rebuild): Promise<number> {
  const kept = new KeptPolicies();
  let count = 0;
  for await (const page of readDecisions(of.pool, { since: new Date(0), withoutEvent: true })) {
    for (let at = 0; at < page.length; at += batchSize) {
      const events = page.slice(at, at + batchSize).map(async (stored) => {
        const active = await kept.find(of.pool, stored.policy_hash);
        const shadow = stored.shadow_policy_hash === null ? null : await kept.find(of.pool, stored.shadow_policy_hash);
        return decidedEvent(toDecision({ active, shadow }, stored));
      });
      await publishAgain(of, 'decision', await Promise.all(events));
      count += events.length;
    }
  }
  return count;
}
