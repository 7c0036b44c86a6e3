import { openTestStack, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startRedis, type TestRedis } from '../../../test/support/stack/redis.ts';
import { gateRole, openGate } from './gate.testing.ts';
import { expectPermitting, expectRefusing } from './refusing.testing.ts';

let stack: TestStack;
let redis: TestRedis;
beforeAll(async () => {
  stack = await openTestStack({ roles: [gateRole] });
  redis = await startRedis({ own: true });
});
afterAll(async () => {
  await stack.close();
  await redis.stop();
});

test('Redis killed: nobody is told "allowed" and no permit is redeemed; when it is back, it goes on', async () => {
  const gate = await openGate(stack, { redisUrl: redis.url });
  await gate.settle('w-1', 'allow');
  await gate.settle('w-held', 'review');
  const { permit } = (await gate.get('w-1')).body;
  expect(await gate.service.unavailable?.()).toEqual([]);
  await redis.kill();
  await expectRefusing(gate, { allowed: 'w-1', permit });
  // A held withdrawal needs no Redis.
  expect((await gate.get('w-held')).body).toMatchObject({ status: 'held' });
  expect(await gate.service.unavailable?.()).toEqual(['redis']);
  await redis.restart({ keepData: false });
  await vi.waitFor(async () => expect(await gate.service.unavailable?.()).toEqual([]), 15_000);
  await expectPermitting(gate, { allowed: 'w-1', permit });
  await gate.close();
});

test('a gate that starts while Redis is away takes withdrawals in, and allows none until it is there', async () => {
  await redis.kill();
  const gate = await openGate(stack, { redisUrl: redis.url });
  await gate.settle('w-2', 'allow');
  expect(await gate.get('w-2')).toMatchObject({ status: 503 });
  expect((await stack.db.pool.query('SELECT FROM gate.permits WHERE withdrawal_id = $1', ['w-2'])).rowCount).toBe(0);
  await redis.restart({ keepData: true });
  await vi.waitFor(async () => expect((await gate.get('w-2')).status).toBe(200), 25_000);
  await expectPermitting(gate, { allowed: 'w-2', permit: (await gate.get('w-2')).body.permit });
  await gate.close();
});
