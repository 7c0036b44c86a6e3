import { afterAll, beforeAll, describe } from 'vitest';
import { describeDelivery } from './behaviour/delivery.ts';
import { describeFailures } from './behaviour/failures.ts';
import { describeGaps } from './behaviour/gaps.ts';
import { describeGroups } from './behaviour/groups.ts';
import { Bench, type LogHarness } from './behaviour/harness.ts';
import { describeTopics } from './behaviour/topics.ts';

export type { LogHarness } from './behaviour/harness.ts';

/** The contract of every event log. Offsets may have gaps; no choice of partition. */
export function describeEventLog(name: string, makeHarness: () => Promise<LogHarness>): void {
  describe(name, () => {
    let harness: LogHarness | undefined;
    beforeAll(async () => {
      harness = await makeHarness();
    });
    afterAll(() => harness?.close());
    const bench = (): Bench => {
      if (harness === undefined) throw new Error('the harness did not start');
      return new Bench(harness);
    };
    describe('topics', () => describeTopics(bench));
    describe('delivery', () => describeDelivery(bench));
    describe('failures', () => describeFailures(bench));
    describe('groups', () => describeGroups(bench));
    describe('gaps', () => describeGaps(bench));
  });
}
