import { systemClock } from '@weir/clock';
import type { ScreeningScored } from '@weir/contracts';
import { startDepositIngest } from '@weir/deposit-ingest';
import { startUpstream } from '@weir/risk-client/testing';
import { startScoring } from '@weir/scoring';
import { createApp, createLogger, type Pipeline, type Service, serve, storeToken } from '@weir/service-kit';
import { openTestStack, readTopic } from '@weir/service-kit/testing';
import { expect, test, vi } from 'vitest';
import { settingsFor } from '../../services/scoring/src/settings.testing.ts';

test("one ingest token cannot spend the whole day's budget, and nothing of it is lost", async () => {
  const upstream = await startUpstream();
  const stack = await openTestStack();
  const { service, pipeline } = await stack.service((one) => startDepositIngest(one, { depositDeadlineMs: 3_600_000 }));
  await storeToken(stack.db.pool, 'token-greedy', 'ingest', 'greedy');
  await storeToken(stack.db.pool, 'token-other', 'ingest', 'other');
  const start = (one: Pipeline): Promise<Service> =>
    // Deposits may use 6 and re-screenings none; one of two tokens may use half of the day: 4.
    startScoring(one, settingsFor(upstream, { upstreamPerSecond: 1_000, upstreamPerDay: 9 }));
  // Keeps the token's UTC day from ending during the test. The budget's day may end, which only adds budget.
  const noon = Math.floor(Date.now() / 86_400_000) * 86_400_000 + 43_200_000;
  await stack.service(start, { clock: { ...systemClock, now: () => noon } });
  const app = createApp(createLogger({ service: 'test', level: 'silent' }), service.operations);
  const server = await serve(app, { host: '127.0.0.1', port: 0 });
  const post = async (token: string, n: number): Promise<number> => {
    const from = `0x${Buffer.from(`${token}-${n}`).toString('hex').padStart(40, '0')}`;
    const answer = await fetch(`http://127.0.0.1:${server.port}/v1/deposits`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        deposit_id: `${token}-${n}`,
        coin: 'ETH',
        from_address: from,
        to_address: `0x${'c'.repeat(40)}`,
        amount: '1',
      }),
    });
    await answer.body?.cancel();
    return answer.status;
  };
  const results = async (token: string): Promise<ScreeningScored[]> =>
    (await readTopic(pipeline, 'screenings.scored')).map(({ data }) => data).filter(({ transfer }) => transfer.source_id.startsWith(token));
  const untilTold = (token: string, count: number): Promise<void> =>
    vi.waitFor(async () => expect(await results(token)).toHaveLength(count), 20_000);
  try {
    const posted = await Promise.all(Array.from({ length: 10 }, (_, n) => post('token-greedy', n)));
    expect(new Set(posted)).toEqual(new Set([202]));
    await untilTold('token-greedy', 4);
    await Promise.all(Array.from({ length: 2 }, (_, n) => post('token-other', n)));
    await untilTold('token-other', 2);
    expect((await results('token-other')).map(({ outcome }) => outcome)).toEqual(['SCORED', 'SCORED']);
    expect(await results('token-greedy')).toHaveLength(4);
    // The rest is held at its deadline, like every transfer without a result.
    await pipeline.pool.query("UPDATE scoring.screenings SET deadline_at = now() WHERE state = 'waiting'");
    await untilTold('token-greedy', 10);
    const held = (await results('token-greedy')).filter(({ outcome }) => outcome !== 'SCORED');
    expect(held.map(({ outcome, reasons }) => [outcome, reasons.at(-1)])).toEqual(
      Array.from({ length: 6 }, () => ['UNAVAILABLE', 'DEADLINE_PASSED']),
    );
  } finally {
    await server.close(0);
    await stack.close();
    await upstream.close();
  }
});
