import type { TestDatabase } from '@weir/postgres/testing';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../../../../test/support/stack/redis.ts';

/** A server that can hold the queue of runs, for one test file. */
export interface QueueTier {
  /** Empty: the queue is in the database. */
  readonly redisUrl: string;
  /** How many jobs are there. */
  jobs(database: TestDatabase): Promise<number>;
  /** Loses every job. */
  loseJobs(database: TestDatabase): Promise<void>;
  close(): Promise<void>;
}

export const postgresTier = async (): Promise<QueueTier> => ({
  redisUrl: '',
  jobs: async ({ pool }) => (await pool.query<{ count: number }>('SELECT count(*)::int FROM bullmq.job')).rows[0]?.count ?? 0,
  loseJobs: async ({ pool }) => void (await pool.query('DELETE FROM bullmq.job')),
  close: async () => undefined,
});

/** One server for a file; what a test leaves in it the next one's workers find no record of. */
export async function redisTier(): Promise<QueueTier & { readonly server: TestRedis }> {
  const server = await startRedis({ own: true });
  const admin = new Redis(server.url);
  admin.on('error', () => undefined);
  return {
    server,
    redisUrl: server.url,
    jobs: async () => (await admin.keys('weir:risk-runs:*')).filter((key) => /:[0-9a-f-]{36}(-\d+)?$/.test(key)).length,
    loseJobs: () => server.flushAll(),
    close: async () => {
      admin.disconnect();
      await server.stop();
    },
  };
}
