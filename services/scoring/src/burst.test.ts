import { mostInWindow } from '@weir/risk-client/testing';
import { expect, test } from 'vitest';
import { aRequest, openHarness } from './harness.testing.ts';

/** The upstream refuses the eleventh create in a sliding second with 429, as specified. */
test('a burst of 300 deposits under a limit of 10 a second: never 11 creates in a second, no 429', async () => {
  const harness = await openHarness({ perSecond: 10 });
  try {
    await harness.replica({ upstreamPerSecond: 10, upstreamPerDay: 10_000 });
    await harness.replica({ upstreamPerSecond: 10, upstreamPerDay: 10_000 });
    await harness.request(Array.from({ length: 300 }, () => aRequest()));
    const told = await harness.untilScored(300);
    expect(told.every(({ outcome }) => outcome === 'SCORED')).toBe(true);
    const times = harness.upstream.creates.map(({ at }) => at);
    const seconds = ((times.at(-1) ?? 0) - (times[0] ?? 0)) / 1_000;
    const used = (times.length - 1) / (10 * seconds);
    process.stdout.write(
      `burst: ${times.length} creates in ${seconds.toFixed(1)} s, at most ${mostInWindow(times, 1_000)} in a second, ${(used * 100).toFixed(1)} % of the limit\n`,
    );
    expect(times).toHaveLength(300);
    expect(harness.upstream.limited).toBe(0);
    expect(mostInWindow(times, 1_000)).toBeLessThanOrEqual(10);
    // The share of the limit in use depends on the machine: `npm run bench -- --budget`.
  } finally {
    await harness.close();
  }
});
