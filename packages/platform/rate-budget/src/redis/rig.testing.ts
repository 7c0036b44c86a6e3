import { systemClock } from '@weir/clock';
import { migrate } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { connectRedis } from '@weir/redis';
import type { Redis } from 'ioredis';
import { test } from 'vitest';
import { startRedis, type TestRedis, type TestRedisOptions } from '../../../../../test/support/stack/redis.ts';
import { type BudgetLimits, type RedisBudget, redisBudget, rateBudgetMigrations } from '../index.ts';

/** A database, a Redis to kill, and clients as in separate processes. */
export interface Rig {
  readonly database: TestDatabase;
  readonly server: TestRedis;
  another(options?: TestRedisOptions): Promise<TestRedis>;
  connect(url?: string): Promise<Redis>;
  client(name: string, limits: BudgetLimits, url?: string): Promise<RedisBudget>;
  close(): Promise<void>;
}

export async function openRig(): Promise<Rig> {
  const closing: (() => Promise<unknown>)[] = [];
  const another = async (options: TestRedisOptions = {}): Promise<TestRedis> => {
    const server = await startRedis({ own: true, ...options });
    closing.push(() => server.stop());
    return server;
  };
  const database = await createTestDatabase();
  closing.push(() => database.drop());
  await migrate(database.pool, 'rate-budget', rateBudgetMigrations);
  const server = await another();
  const connect = async (url = server.url): Promise<Redis> => {
    const redis = await connectRedis({ url, clock: systemClock });
    closing.push(async () => redis.disconnect());
    return redis;
  };
  return {
    database,
    server,
    another,
    connect,
    client: async (name, limits, url) => {
      const budget = redisBudget({ redis: await connect(url), pool: database.pool, name, limits });
      closing.push(() => budget.settled());
      return budget;
    },
    close: async () => {
      for (const close of closing.toReversed()) await close();
    },
  };
}

/** Each test has its own rig and runs beside others, since most of the time is waiting. */
export const testWithRig = test.extend<{ rig: Rig }>({
  // oxlint-disable-next-line no-empty-pattern -- vitest reads from the pattern what a fixture needs
  rig: async ({}, use) => {
    const rig = await openRig();
    await use(rig);
    await rig.close();
  },
}).concurrent;
