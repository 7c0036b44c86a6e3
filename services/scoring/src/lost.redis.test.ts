import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startRedis, type TestRedis } from '../../../test/support/stack/redis.ts';
import { startServiceProcess } from '../../../test/support/stack/service.ts';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let redis: TestRedis;
beforeEach(async () => {
  redis = await startRedis({ own: true });
});
afterEach(() => redis.stop());

const perSecond = 50;
const perDay = 120;

/** A loss wastes reserved budget, and grants lost with the connection. */
const leastPerDay = perDay * 0.9;

test.for([
  { what: 'wiped', strike: () => redis.flushAll() },
  { what: 'killed and back with its file', strike: () => redis.restart({ keepData: true }) },
  { what: 'killed and back with nothing', strike: () => redis.restart({ keepData: false }) },
])('a Redis that is $what twice in the middle of a day: the upstream never counts one create too many', async ({ what, strike }) => {
  const harness = await openHarness({ perSecond, perDay });
  try {
    const settings = { redisUrl: redis.url, upstreamPerSecond: perSecond, upstreamPerDay: perDay };
    await harness.replica(settings);
    await harness.replica(settings);
    // More than the limit: the rest shows that the limit stopped them, not want of work.
    await harness.request(Array.from({ length: perDay + 60 }, () => aRequest({ lane: 'withdrawal' })));
    const { creates } = harness.upstream;
    for (const share of [30, 70]) {
      await vi.waitFor(() => expect(creates.length).toBeGreaterThanOrEqual(share), { timeout: 15_000, interval: 1 });
      await strike();
    }
    await untilQuiet(harness);
    process.stdout.write(`${what}: ${creates.length} of ${perDay} creates\n`);
    expect(creates.length).toBeLessThanOrEqual(perDay);
    expect(harness.upstream.limited).toBe(0);
  } finally {
    await harness.close();
  }
});

/** Longer than a rebuild takes. */
const quietMs = 7_000;

async function untilQuiet({ upstream }: Harness): Promise<void> {
  let seen = -1;
  let since = 0;
  await vi.waitFor(
    () => {
      const now = systemClock.monotonic();
      if (upstream.creates.length !== seen) [seen, since] = [upstream.creates.length, now];
      // A rebuild may take longer on a busy machine.
      expect(seen).toBeGreaterThanOrEqual(leastPerDay);
      expect(now - since).toBeGreaterThan(quietMs);
    },
    { timeout: 40_000, interval: 100 },
  );
}

test('scoring is alive and not ready while its Redis is away, and ready and at work when it is back', async () => {
  const harness = await openHarness();
  const scoring = await startServiceProcess('scoring', {
    DATABASE_URL: harness.databaseUrl,
    REDIS_URL: redis.url,
    WEIR_UPSTREAM_URL: harness.upstream.url,
    WEIR_UPSTREAM_API_KEY: harness.upstream.apiKey,
  });
  const ask = async (path: string): Promise<[number, unknown]> => {
    const answer = await fetch(`${scoring.url}${path}`, { signal: AbortSignal.timeout(60_000) });
    return [answer.status, await answer.json()];
  };
  const untilReadiness = (wanted: [number, unknown]) =>
    vi.waitFor(async () => expect(await ask('/readyz')).toEqual(wanted), { timeout: 10_000, interval: 50 });
  try {
    await untilReadiness([200, { status: 'ready', unavailable: [] }]);
    await redis.kill();
    await untilReadiness([503, { status: 'not ready', unavailable: ['redis'] }]);
    expect(await ask('/healthz')).toEqual([200, { status: 'ok' }]);
    await harness.request([aRequest()]);
    await redis.restart({ keepData: false });
    await untilReadiness([200, { status: 'ready', unavailable: [] }]);
    expect((await harness.untilScored(1)).map(({ outcome }) => outcome)).toEqual(['SCORED']);
    expect(harness.upstream.creates).toHaveLength(1);
    scoring.child.kill('SIGTERM');
    expect(await scoring.exit).toBe(0);
  } finally {
    scoring.child.kill('SIGKILL');
    await harness.close();
  }
});
