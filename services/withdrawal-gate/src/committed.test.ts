import { ManualClock } from '@weir/clock';
import type { EventLog } from '@weir/event-log';
import { openTestStack } from '@weir/service-kit/testing';
import { expect, test } from 'vitest';
import { testCommitted } from './committed.testing.ts';
import { gateRole, openGate } from './gate.testing.ts';

testCommitted('PostgreSQL', async () => {
  const stack = await openTestStack({ roles: [gateRole] });
  const gate = await openGate(stack);
  return { gate, owner: stack.db.pool, close: () => gate.close().then(() => stack.close()) };
});

test('a gate that moves and is more than the limit behind issues and redeems nothing, and says why', async () => {
  const stack = await openTestStack({ roles: [gateRole] });
  try {
    const clock = new ManualClock(Date.now());
    let isBehind = false;
    let seconds = 0n;
    const { log } = await stack.pipeline();
    const slow: EventLog = {
      createTopics: (...given) => log.createTopics(...given),
      publish: (...given) => log.publish(...given),
      subscribe: (...given) => log.subscribe(...given),
      read: (...given) => log.read(...given),
      partitions: (...given) => log.partitions(...given),
      ends: (...given) => log.ends(...given),
      resume: (...given) => log.resume(...given),
      forget: (...given) => log.forget(...given),
      close: () => log.close(),
      // 100 decisions arrive each second, and 10 are read.
      lag: async (group) => {
        const lags = await log.lag(group);
        return isBehind ? lags.map((each) => ({ ...each, end: each.end + seconds * 100n, lag: seconds * 90n })) : lags;
      },
    };
    const gate = await openGate(stack, {}, { log: slow, clock });
    await gate.settle('w-1', 'allow');
    await clock.advance(1_000);
    const { permit } = (await gate.get('w-1')).body;
    expect(permit).toEqual(expect.any(String));
    isBehind = true;
    for (seconds = 1n; seconds < 18n; seconds += 1n) {
      await clock.advance(1_000);
      await gate.get('w-1');
    }
    for (const answer of [await gate.get('w-1'), await gate.redeem(permit)]) {
      expect(answer).toMatchObject({ status: 503, body: { code: 'DECISIONS_UNREAD' } });
      expect(JSON.stringify(answer.body)).not.toContain('"permit"');
    }
    isBehind = false;
    await clock.advance(1_000);
    expect(await gate.redeem(permit)).toMatchObject({ status: 200 });
    await gate.close();
  } finally {
    await stack.close();
  }
});
