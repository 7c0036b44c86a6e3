import type { TestDatabase } from '@weir/postgres/testing';
import { Redis } from 'ioredis';
import { startRedis, type TestRedis } from '../../../../test/support/stack/redis.ts';

/** A server for the run queue, for one test file. */
export interface QueueTier {
  /** Empty: runs wait in the database. */
  readonly redisUrl: string;
  /** The number of jobs. */
  jobs(database: TestDatabase): Promise<number>;
  loseJobs(database: TestDatabase): Promise<void>;
  close(): Promise<void>;
}

export const postgresTier = async (): Promise<QueueTier> => ({
  redisUrl: '',
  jobs: async ({ pool }) =>
    (await pool.query<{ count: number }>(`SELECT count(*)::int FROM risk.runs WHERE state = 'running'`)).rows[0]?.count ?? 0,
  loseJobs: async () => undefined,
  close: async () => undefined,
});

/** One server for a file: workers of the next test find no record for jobs left over. */
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
