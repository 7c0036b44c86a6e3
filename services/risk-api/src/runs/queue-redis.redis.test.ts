import { systemClock } from '@weir/clock';
import { createLogger } from '@weir/service-kit';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { redisTier } from '../testing/queue-tier.ts';
import { openRunQueue } from './queue.ts';

let tier: Awaited<ReturnType<typeof redisTier>>;
let admin: Redis;
beforeAll(async () => {
  tier = await redisTier();
  admin = new Redis(tier.redisUrl);
});
afterAll(async () => {
  admin.disconnect();
  await tier.close();
});

/** Idle seconds of each connection that waits in BZPOPMIN. */
async function listening(): Promise<number[]> {
  const clients = String(await admin.client('LIST')).split('\n');
  return clients.filter((client) => / cmd=bzpopmin /.test(client)).map((client) => Number(/ idle=(\d+)/.exec(client)?.[1]));
}

test('a worker that has nothing to do listens longer than other commands may take, and does not call that a fault', async () => {
  const lines: string[] = [];
  const logger = createLogger({ service: 'risk-api', level: 'warn', destination: { write: (line: string) => void lines.push(line) } });
  const work = async (): Promise<void> => undefined;
  const queue = await openRunQueue({
    redisUrl: tier.redisUrl,
    clock: systemClock,
    logger,
    concurrency: 1,
    waiting: async () => [],
    work,
  });
  try {
    await vi.waitFor(async () => expect(Math.max(...(await listening()))).toBeGreaterThanOrEqual(3), { timeout: 15_000, interval: 100 });
    expect(lines).toEqual([]);
  } finally {
    await queue.close();
  }
});
