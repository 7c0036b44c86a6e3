import { randomUUID } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { createChainSchema, putLabel, putTransfer } from '@weir/chain-store/testing';
import type { ScreeningRequested } from '@weir/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
  await createChainSchema(harness.pipeline.pool);
});
afterEach(() => harness.close());

const anAddress = (): string => `0x${randomUUID().replaceAll('-', '').padStart(40, 'a')}`;
const list = (address: string, over = {}): Promise<void> => putLabel(harness.pipeline.pool, { address, ...over });
const senderOf = ({ transfer }: ScreeningRequested): string => transfer.from_address ?? '';
const of = async (request: ScreeningRequested, count: number) =>
  (await harness.untilScored(count)).filter(({ screening_id }) => screening_id === request.screening_id);

test('with the API away a listed sender is told of at once, and the match stands beside the level that comes later', async () => {
  await harness.replica();
  await harness.upstream.away();
  const request = aRequest();
  await list(senderOf(request));
  await harness.request([request, aRequest()]);
  expect(await of(request, 1)).toMatchObject([
    { sequence: 1, outcome: 'UNAVAILABLE', reasons: ['LOCAL_SANCTIONS_MATCH'], risk_level: null, score: null },
  ]);
  // The other one waits: its absence from the lists is no result.
  expect(await harness.scored()).toHaveLength(1);
  await harness.upstream.back();
  await harness.untilScoredInHaste(3);
  expect(await of(request, 3)).toMatchObject([
    { sequence: 1 },
    { sequence: 2, outcome: 'SCORED', risk_level: 'Low', reasons: ['LOCAL_SANCTIONS_MATCH'] },
  ]);
});

test.each<[string, (address: string) => ScreeningRequested, boolean]>([
  ['the receiver of a withdrawal', (address) => withdrawal({ to_address: address }, address), true],
  ['the sender of a deposit that is asked about by its txid', (address) => byTxid({ from_address: address }), true],
  ['the sender of a deposit that is asked about by it', (address) => aRequest({ subject: address }), true],
  ['the exchange’s own address, where a deposit goes', (address) => byTxid({ from_address: null, to_address: address }), false],
  [
    'the receiver whose coin is not known',
    (address) => ({ ...withdrawal({ to_address: address }, address), fault: 'UNSUPPORTED_COIN' }),
    true,
  ],
])('%s', async (_, make, isAsked) => {
  await harness.replica();
  const address = anAddress();
  await list(address);
  const request = make(address);
  await harness.request([request]);
  await vi.waitFor(
    async () => {
      const told = await harness.scored();
      expect(told.at(-1)?.outcome).toBe(request.fault === null ? 'SCORED' : 'UNSUPPORTED');
      expect(told.every(({ reasons }) => reasons.includes('LOCAL_SANCTIONS_MATCH'))).toBe(isAsked);
    },
    { timeout: 10_000 },
  );
  expect(harness.upstream.creates).toHaveLength(request.fault === null ? 1 : 0);
});

test('a listing on one EVM chain names the sender on another', async () => {
  await harness.replica();
  const request = aRequest();
  await list(senderOf(request), { chain: 'polygon' });
  await harness.request([request]);
  expect((await of(request, 1))[0]?.reasons).toContain('LOCAL_SANCTIONS_MATCH');
});

test('a deposit that is known by its txid alone is matched by its senders, also when they are imported before it is asked about again', async () => {
  await harness.replica();
  const { pool } = harness.pipeline;
  const sender = anAddress();
  await list(sender);
  const [known, unknown] = [byTxid({ from_address: null }), byTxid({ from_address: null })];
  const pay = ({ transfer }: ScreeningRequested) =>
    putTransfer(pool, { txid: transfer.txid ?? '', from: sender, to: transfer.to_address ?? '' });
  await pay(known);
  await harness.request([known, unknown]);
  expect((await of(known, 3))[0]?.reasons).toContain('LOCAL_SANCTIONS_MATCH');
  expect((await of(unknown, 3))[0]?.reasons).toEqual([]);
  await pay(unknown);
  await harness.request([{ ...unknown, attempt: 2, lane: 'rescreen' }]);
  expect((await of(unknown, 4)).at(-1)).toMatchObject({ attempt: 2, reasons: ['LOCAL_SANCTIONS_MATCH'] });
});

test('what is cached is kept as the API told it: the match is looked up for each transfer, and when it ends it is gone', async () => {
  await harness.replica();
  const subject = `0x${'ab'.repeat(32)}`;
  const first = byTxid({ from_address: anAddress() }, subject);
  await harness.request([first]);
  await harness.untilScored(1);
  const second = byTxid({ from_address: anAddress() }, subject);
  await list(senderOf(second));
  await harness.request([second]);
  expect(await of(second, 2)).toMatchObject([{ sequence: 1, risk_level: 'Low', reasons: ['LOCAL_SANCTIONS_MATCH'] }]);
  await list(senderOf(second), { valid_to: new Date() });
  const third = byTxid({ from_address: senderOf(second) }, subject);
  await harness.request([third]);
  expect(await of(third, 3)).toMatchObject([{ risk_level: 'Low', reasons: [] }]);
  expect(harness.upstream.creates).toHaveLength(1);
});

test('who is listed while it waits is told of at the deadline, and who is delisted while it waits is told of without the match', async () => {
  await harness.replica();
  await harness.upstream.away();
  const [late, freed] = [aRequest(), aRequest()];
  await list(senderOf(freed));
  await harness.request([late, freed]);
  await of(freed, 1);
  await list(senderOf(late));
  await list(senderOf(freed), { valid_to: new Date() });
  await harness.untilFailed(1);
  await harness.late(1);
  expect(await of(late, 2)).toMatchObject([{ reasons: ['LOCAL_SANCTIONS_MATCH', 'UPSTREAM_UNAVAILABLE', 'DEADLINE_PASSED'] }]);
  await harness.upstream.back();
  await harness.untilScoredInHaste(4);
  expect((await of(late, 4)).at(-1)).toMatchObject({ sequence: 2, risk_level: 'Low', reasons: ['LOCAL_SANCTIONS_MATCH'] });
  expect((await of(freed, 4)).at(-1)).toMatchObject({ sequence: 2, risk_level: 'Low', reasons: [] });
});

test('a listing counts from its first day by the clock of the database, also for a replica whose clock is an hour behind', async () => {
  await harness.replica({}, { ...systemClock, now: () => systemClock.now() - 3_600_000 });
  const request = aRequest();
  await list(senderOf(request), { valid_from: new Date(Date.now() - 60_000) });
  await harness.request([request]);
  expect((await of(request, 1)).at(-1)).toMatchObject({ reasons: ['LOCAL_SANCTIONS_MATCH'] });
});

test('while the lists cannot be read nothing is told, and then everything', async () => {
  await harness.replica();
  await harness.request([aRequest()]);
  await harness.untilScored(1);
  await harness.pipeline.pool.query('ALTER TABLE chain.labels RENAME TO away');
  const request = aRequest();
  await harness.request([request]);
  await vi.waitFor(async () => expect((await harness.pipeline.log.lag('scoring')).some(({ lag }) => lag > 0n)).toBe(true), {
    timeout: 10_000,
  });
  expect(await harness.scored()).toHaveLength(1);
  expect(harness.upstream.creates).toHaveLength(1);
  await harness.pipeline.pool.query('ALTER TABLE chain.away RENAME TO labels');
  expect(await of(request, 2)).toMatchObject([{ outcome: 'SCORED', reasons: [] }]);
});

function withdrawal(over: Partial<ScreeningRequested['transfer']>, subject: string): ScreeningRequested {
  const request = aRequest({ kind: 'withdrawal', lane: 'withdrawal', direction: 'withdraw', subject });
  return { ...request, transfer: { ...request.transfer, from_address: null, ...over } };
}

function byTxid(
  over: Partial<ScreeningRequested['transfer']>,
  txid = `0x${randomUUID().replaceAll('-', '').repeat(2)}`,
): ScreeningRequested {
  const request = aRequest({ subject_type: 'txid', subject: txid });
  return { ...request, transfer: { ...request.transfer, txid, ...over } };
}
