import { setTimeout as delay } from 'node:timers/promises';
import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, startTestServer } from '@weir/postgres/testing';
import { type BudgetLimits, postgresBudget, type RateBudget, rateBudgetMigrations, redisBudget } from '@weir/rate-budget';
import { connectRedis } from '@weir/redis';
import { startRedis } from '../support/stack/redis.ts';
import { drive, measure } from '../../packages/platform/rate-budget/src/sends.testing.ts';
import { type Line, median, percentile } from './line.ts';

const limits = { perSecond: 50, perDay: 1_000_000 };
const durationMs = 10_000;

export async function benchPace(print: (line: Line) => void): Promise<Line[]> {
  const stop = await startTestServer();
  const database = await createTestDatabase();
  const server = await startRedis({ own: true });
  const redis = await connectRedis({ url: server.url, clock: systemClock });
  const onRedis = (name: string, of: BudgetLimits): RateBudget => redisBudget({ redis, pool: database.pool, name, limits: of });
  const inRows = (name: string, of: BudgetLimits): RateBudget =>
    postgresBudget({ pool: database.openPool({ max: 1 }), name: `${name} in rows`, limits: of });
  try {
    await migrate(database.pool, 'rate-budget', rateBudgetMigrations);
    const lines: Line[] = [];
    const fast = { perSecond: 1_000_000, perDay: 1_000_000 };
    for (const [tier, open] of [
      ['Redis', onRedis],
      ['PostgreSQL', inRows],
    ] as const) {
      const senders = Array.from({ length: 4 }, () => open('pace', limits));
      const driven = drive(senders, limits);
      await delay(durationMs);
      await driven.stop();
      const took = await takes(open('latency', fast));
      lines.push(
        {
          name: `four senders on ${tier}, 50/s`,
          value: 100 * measure(driven.sent, limits.perSecond).share,
          unit: '%',
          note: 'at least 85',
        },
        { name: `a take on ${tier}`, value: median(took), unit: 'ms', note: `p99 ${percentile(took, 0.99).toFixed(2)} ms` },
      );
    }
    lines.forEach(print);
    return lines;
  } finally {
    redis.disconnect();
    await server.stop();
    await database.drop();
    await stop();
  }
}

async function takes(budget: RateBudget): Promise<number[]> {
  const took: number[] = [];
  for (let n = 0; n < 500; n += 1) {
    const begin = performance.now();
    await budget.take('withdrawal');
    took.push(performance.now() - begin);
  }
  return took;
}
