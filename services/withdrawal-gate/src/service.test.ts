import { systemClock } from '@weir/clock';
import { type Action, eventId, screeningId } from '@weir/contracts';
import { caughtUp, deadLetters, openTestStack, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { decided, gateRole, gateSettings, mixedCase, withdrawal } from './gate.testing.ts';
import { startWithdrawalGate } from './index.ts';

let stack: TestStack;
beforeEach(async () => {
  stack = await openTestStack({ roles: [gateRole] });
});
afterEach(() => stack.close());

const start = () => stack.service((pipeline) => startWithdrawalGate(pipeline, gateSettings()));

async function settled({ pipeline }: TestService): Promise<void> {
  await caughtUp(pipeline, 'withdrawal-gate');
  await caughtUp(pipeline, 'withdrawal-gate.decisions');
}

async function standing(): Promise<Record<string, string>> {
  const { rows } = await stack.db.pool.query<{ id: string; standing: string }>(
    "SELECT withdrawal_id AS id, status || '/' || revision AS standing FROM gate.withdrawals ORDER BY 1",
  );
  return Object.fromEntries(rows.map(({ id, standing: text }) => [id, text]));
}

test('a withdrawal is asked to be screened by its receiver, and waits', async () => {
  const gate = await start();
  await publishTo(gate.pipeline, 'withdrawals.requested', withdrawal);
  await settled(gate);
  const [request, ...more] = await readTopic(gate.pipeline, 'screenings.requested');
  expect(more).toEqual([]);
  expect(request?.id).toBe(eventId('screenings.requested', screeningId('withdrawal', 'w-1'), 1));
  expect(request?.data).toMatchObject({
    screening_id: screeningId('withdrawal', 'w-1'),
    kind: 'withdrawal',
    chain: 'ethereum',
    subject_type: 'address',
    subject: mixedCase.toLowerCase(),
    direction: 'withdraw',
    lane: 'withdrawal',
    fault: null,
    transfer: {
      source_id: 'w-1',
      txid: null,
      from_address: null,
      to_address: mixedCase.toLowerCase(),
      amount: '10',
      occurred_at: withdrawal.requested_at,
    },
  });
  expect((request?.data.deadline_at ?? 0) - (request?.data.requested_at ?? 0)).toBe(60_000);
  expect(await standing()).toEqual({ 'w-1': 'pending/0' });
});

test('the deadline counts from when the log got the withdrawal, not from when it is handled', async () => {
  const exchange = await stack.pipeline();
  await publishTo(exchange, 'withdrawals.requested', withdrawal);
  const clock = { ...systemClock, now: () => systemClock.now() + 3_600_000 };
  const gate = await stack.service((pipeline) => startWithdrawalGate({ ...pipeline, clock }, gateSettings()));
  await settled(gate);
  const [asked] = await readTopic(gate.pipeline, 'withdrawals.requested');
  const received = asked?.record.timestamp ?? 0;
  expect((await readTopic(gate.pipeline, 'screenings.requested'))[0]?.data).toMatchObject({
    requested_at: received,
    deadline_at: received + 60_000,
  });
});

test('a repeat changes nothing, what contradicts or has no form goes to the dead letters and does not wait here', async () => {
  const gate = await start();
  await publishTo(gate.pipeline, 'withdrawals.requested', withdrawal, {
    ...withdrawal,
    to_address: mixedCase.toLowerCase(),
    requested_at: 5,
  });
  await settled(gate);
  const malformed = { ...withdrawal, withdrawal_id: 'w-\0' };
  await gate.pipeline.log.publish([
    { topic: 'withdrawals.requested', key: 'x', value: gate.pipeline.codec.encode('withdrawals.requested', malformed), headers: {} },
  ]);
  await publishTo(gate.pipeline, 'withdrawals.requested', { ...withdrawal, amount: '11' }, { ...withdrawal, withdrawal_id: 'w-2' });
  await settled(gate);
  expect((await deadLetters(gate.pipeline, 'withdrawals.requested')).map(({ headers }) => headers['weir_reason'] ?? '').sort()).toEqual([
    'CONFLICTING_CONTENT',
    'MALFORMED',
  ]);
  const requests = await readTopic(gate.pipeline, 'screenings.requested');
  expect(new Set(requests.map(({ data }) => `${data.transfer.source_id} ${data.transfer.amount}`))).toEqual(new Set(['w-1 10', 'w-2 10']));
  expect(await standing()).toEqual({ 'w-1': 'pending/0', 'w-2': 'pending/0' });
});

describe('the status', () => {
  test.each<[Action, string]>([
    ['allow', 'allowed/1'],
    ['review', 'held/1'],
    ['block', 'blocked/1'],
  ])('after %s is %s, also when the decision comes before the request', async (action, expected) => {
    const gate = await start();
    await publishTo(gate.pipeline, 'screenings.decided', decided('w-1', 1, action));
    await settled(gate);
    await publishTo(gate.pipeline, 'withdrawals.requested', withdrawal);
    await settled(gate);
    expect(await standing()).toEqual({ 'w-1': expected });
  });

  test('is no deposit’s, and what no database could hold stops nothing', async () => {
    const gate = await start();
    const unholdable = gate.pipeline.codec.encode('screenings.decided', decided('w\0', 1, 'allow'));
    await gate.pipeline.log.publish([{ topic: 'screenings.decided', key: 'w', value: unholdable, headers: {} }]);
    await publishTo(gate.pipeline, 'screenings.decided', decided('w-1', 1, 'block', { kind: 'deposit' }), decided('w-2', 1, 'allow'));
    await settled(gate);
    expect(await standing()).toEqual({ 'w-2': 'allowed/1' });
    expect((await deadLetters(gate.pipeline, 'screenings.decided')).map(({ value }) => value)).toEqual([unholdable]);
  });

  test('is that of the latest revision, in whatever order decisions come, and again, at two replicas', async () => {
    const gates = [await start(), await start()] as const;
    const actions: Action[] = ['review', 'allow', 'block', 'allow'];
    const expected = ['pending/0', 'held/1', 'allowed/2', 'blocked/3', 'allowed/4'];
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            withdrawal: fc.nat({ max: 2 }),
            revision: fc.integer({ min: 1, max: 4 }),
            at: fc.nat({ max: 1 }),
            asked: fc.boolean(),
          }),
          { minLength: 1, maxLength: 24 },
        ),
        async (steps) => {
          round += 1;
          const id = (n: number): string => `w-${round}-${n}`;
          const latest: Record<string, number> = {};
          await Promise.all(
            steps.map(({ withdrawal: n, revision, at, asked }) => {
              latest[id(n)] = Math.max(latest[id(n)] ?? 0, asked ? 0 : revision);
              const { pipeline } = gates[at as 0 | 1];
              // With separate keys, messages arrive in any order at either replica.
              const [topic, value] = asked
                ? ([
                    'withdrawals.requested',
                    pipeline.codec.encode('withdrawals.requested', { ...withdrawal, withdrawal_id: id(n) }),
                  ] as const)
                : ([
                    'screenings.decided',
                    pipeline.codec.encode('screenings.decided', decided(id(n), revision, actions[revision - 1] ?? 'block')),
                  ] as const);
              return pipeline.log.publish([{ topic, key: `${revision}-${at}`, value, headers: {} }]);
            }),
          );
          for (const gate of gates) await settled(gate);
          const found = Object.entries(await standing()).filter(([key]) => key.startsWith(`w-${round}-`));
          expect(Object.fromEntries(found)).toEqual(
            Object.fromEntries(Object.entries(latest).map(([key, revision]) => [key, expected[revision]])),
          );
        },
      ),
      { numRuns: 25, verbose: 1 },
    );
  });
});

test('a backdated withdrawal, and one of a time to come, is held as invalid when it is new', async () => {
  const gate = await start();
  const hour = 3_600_000;
  const times = { old: -25 * hour, recent: -23 * hour, soon: 4 * 60_000, later: 6 * 60_000 };
  for (const [id, ms] of Object.entries(times))
    await publishTo(gate.pipeline, 'withdrawals.requested', { ...withdrawal, withdrawal_id: id, requested_at: Date.now() + ms });
  await settled(gate);
  const faults = (await readTopic(gate.pipeline, 'screenings.requested')).map(({ data }) => [data.transfer.source_id, data.fault]);
  expect(Object.fromEntries(faults)).toEqual({ old: 'INVALID_TRANSFER', recent: null, soon: null, later: 'INVALID_TRANSFER' });
});
