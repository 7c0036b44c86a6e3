import type { Redis } from 'ioredis';
import { afterAll, beforeAll } from 'vitest';
import { describeRateBudget } from '../behaviour.ts';
import { type RedisBudget, redisBudget } from '../index.ts';
import { openRig, type Rig } from './rig.testing.ts';

let rig: Rig;
let redis: Redis;
beforeAll(async () => {
  rig = await openRig();
  redis = await rig.connect();
});
afterAll(() => rig.close());

describeRateBudget(
  'Redis',
  async (time) => {
    const { pool } = rig.database;
    // Neither store may know the names.
    await Promise.all([rig.server.flushAll(), pool.query('TRUNCATE budget.upstreams')]);
    const opened: RedisBudget[] = [];
    return {
      open: (name, limits) => {
        const budget = redisBudget({ redis, pool, name, limits, now: () => time.now });
        opened.push(budget);
        return budget;
      },
      close: async () => {
        await Promise.all(opened.map((budget) => budget.settled()));
      },
    };
  },
  15,
);
