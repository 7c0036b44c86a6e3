import { answerTable, changingScript } from '@weir/risk-client/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

describe('scoring takes each answer of the risk API as the command line does', () => {
  test.each(answerTable)('$name', async ({ script, outcome, reason, isRetried }) => {
    let now = script;
    harness.upstream.answer(changingScript(() => now));
    await harness.replica();
    await harness.request([aRequest()]);
    if (isRetried && reason === 'DEADLINE_PASSED') {
      // Nothing has failed: the task still runs.
      await vi.waitFor(() => expect(harness.upstream.queries.size).toBe(1));
      await harness.pipeline.pool.query('UPDATE scoring.screenings SET deadline_at = now()');
    } else if (isRetried) await harness.failedAndLate(1);
    const [told] = await harness.untilScored(1);
    expect({ outcome: told?.outcome, reason: told?.reasons[0] }).toEqual({ outcome, reason });
    if (!isRetried) return;
    now = {};
    const all = await harness.untilScoredInHaste(2);
    expect(all[1]).toMatchObject({ sequence: 2, outcome: 'SCORED', reasons: [] });
  });
});
