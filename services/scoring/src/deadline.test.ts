import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

test.each([
  ['ahead', 3_600_000],
  ['behind', -3_600_000],
])(
  'a replica whose own clock is an hour %s holds at the deadline by the clock of the database, neither before nor after it',
  async (_, aheadMs) => {
    harness.upstream.answer(() => ({ running: 1_000_000 }));
    await harness.replica({}, { ...systemClock, now: () => systemClock.now() + aheadMs });
    const [early, late] = [aRequest(), aRequest()];
    await harness.request([early]);
    await vi.waitFor(async () => expect((await harness.pipeline.pool.query('SELECT FROM scoring.screenings')).rowCount).toBe(1), {
      timeout: 20_000,
    });
    await harness.request([{ ...late, deadline_at: Date.now() }]);
    // Expired screenings are held in order of their deadline.
    const held = await harness.untilScored(1);
    expect(held).toMatchObject([{ screening_id: late.screening_id, outcome: 'UNAVAILABLE', reasons: ['DEADLINE_PASSED'] }]);
  },
);
