import { randomUUID } from 'node:crypto';
import type { ScreeningRequested } from '@weir/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const within = { timeout: 20_000, interval: 50 };
const sender = `0x${'5e'.repeat(20)}`;
const nothing = { data: { score: 3, risk_level: 'Low', coverage: 'none', detail_list: [], risk_detail: [] } };
const severe = { data: { score: 95, risk_level: 'Severe' } };
const low = {};
const isTxid = (subject: string): boolean => subject.length === 66;

/** A deposit by its transaction, with its sender. */
function aDeposit(over: Partial<ScreeningRequested> = {}, from: string | null = sender): ScreeningRequested {
  const txid = `0x${randomUUID().replaceAll('-', '').padStart(64, 'a')}`;
  const request = aRequest({ subject_type: 'txid', subject: txid, ...over });
  return { ...request, transfer: { ...request.transfer, txid: request.subject, from_address: from } };
}
const createsFor = (subject: string): number => harness.upstream.creates.filter((create) => create.subject === subject).length;
/** The screening waits for its sender. */
const untilSecond = (): Promise<void> => vi.waitFor(() => expect(harness.upstream.queries.get(sender) ?? 0).toBeGreaterThan(0), within);

test('an unknown transaction of a Severe sender is Severe, and the result names both questions', async () => {
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : severe));
  await harness.replica();
  const request = aDeposit();
  await harness.request([request]);
  const [told] = await harness.untilScored(1);
  expect(told).toMatchObject({ outcome: 'SCORED', risk_level: 'Severe', subject: request.subject, subject_type: 'txid', sequence: 1 });
  expect(told?.questions).toMatchObject([
    { subject: request.subject, subject_type: 'txid', outcome: 'NO_DATA', risk_level: null },
    { subject: sender, subject_type: 'address', outcome: 'SCORED', risk_level: 'Severe', evidence_sha256: told?.evidence_sha256 },
  ]);
  expect(told?.questions[0]?.evidence_sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('an unknown transaction stays NO_DATA with a clean sender, for it may have others, and with an unknown one', async () => {
  const unknown = `0x${'5f'.repeat(20)}`;
  harness.upstream.answer((subject) => (subject === sender ? low : nothing));
  await harness.replica();
  const [clean, strange, unnamed] = [aDeposit(), aDeposit({}, unknown), aDeposit({}, null)];
  await harness.request([clean, strange, unnamed]);
  const told = await harness.untilScored(3);
  const resultOf = ({ screening_id }: ScreeningRequested) => told.find((one) => one.screening_id === screening_id);
  expect(resultOf(clean)).toMatchObject({
    outcome: 'NO_DATA',
    risk_level: null,
    questions: [{ outcome: 'NO_DATA' }, { outcome: 'SCORED', risk_level: 'Low' }],
  });
  expect(resultOf(strange)).toMatchObject({
    outcome: 'NO_DATA',
    risk_level: null,
    questions: [{ outcome: 'NO_DATA' }, { subject: unknown }],
  });
  expect(resultOf(unnamed)).toMatchObject({ outcome: 'NO_DATA', questions: [] });
});

test('of an unknown transaction a sanctioned exposure of the sender counts at any level', async () => {
  const exposure = { entity: 'Lazarus', risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1, volume: 5, percent: 1 };
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : { data: { score: 20, risk_level: 'Low', risk_detail: [exposure] } }));
  await harness.replica();
  await harness.request([aDeposit()]);
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'SCORED', risk_level: 'Low', risk_detail: [{ entity: 'Lazarus' }] }]);
});

test('an unknown transaction stays NO_DATA where its Low sender is far from a sanctioned entity, and has the illicit money of the sender', async () => {
  const exposure = { entity: 'Lazarus', risk_type: 'sanctioned_entity', exposure_type: 'indirect', hop_num: 4, volume: 5, percent: 1 };
  const far = { data: { score: 20, risk_level: 'Low', risk_detail: [exposure], illicit_usd: 12_000 } };
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : far));
  await harness.replica();
  await harness.request([aDeposit()]);
  expect(await harness.untilScored(1)).toMatchObject([
    {
      outcome: 'NO_DATA',
      risk_level: null,
      illicit_usd: 12_000,
      questions: [{ outcome: 'NO_DATA' }, { outcome: 'SCORED', risk_level: 'Low' }],
    },
  ]);
});

test('a transaction that is known is not followed by its sender', async () => {
  await harness.replica();
  await harness.request([aDeposit()]);
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'SCORED', questions: [] }]);
  expect(createsFor(sender)).toBe(0);
});

test('a replica that ends between the two questions leaves the second to the next one, and no create is made twice', async () => {
  let isDone = false;
  const script = {
    ...severe,
    get running() {
      return isDone ? 0 : 1_000_000;
    },
  };
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : script));
  const first = await harness.replica();
  const request = aDeposit();
  await harness.request([request]);
  await untilSecond();
  await first.stop();
  expect(await harness.scored()).toEqual([]);
  isDone = true;
  await harness.replica();
  expect(await harness.untilScored(1)).toMatchObject([
    { risk_level: 'Severe', sequence: 1, questions: [{ outcome: 'NO_DATA' }, { subject: sender }] },
  ]);
  expect([createsFor(request.subject), createsFor(sender)]).toEqual([1, 1]);
});

test('a deadline between the two questions holds the transfer, says what is known, and the answer comes after', async () => {
  let isDone = false;
  const script = {
    ...severe,
    get running() {
      return isDone ? 0 : 1_000_000;
    },
  };
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : script));
  await harness.replica();
  await harness.request([aDeposit()]);
  await untilSecond();
  await harness.pipeline.pool.query('UPDATE scoring.screenings SET deadline_at = now()');
  const [held] = await harness.untilScored(1);
  expect(held).toMatchObject({ outcome: 'UNAVAILABLE', reasons: ['DEADLINE_PASSED'], risk_level: null });
  expect(held?.questions).toMatchObject([{ outcome: 'NO_DATA' }, { subject: sender, outcome: 'UNAVAILABLE', evidence_sha256: null }]);
  isDone = true;
  expect((await harness.untilScored(2))[1]).toMatchObject({ sequence: 2, outcome: 'SCORED', risk_level: 'Severe' });
});

test('unknown transactions of one sender make one create for the sender, and what is cached answers both questions', async () => {
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : severe));
  await harness.replica();
  const first = aDeposit();
  await harness.request([first, aDeposit()]);
  await harness.untilScored(2);
  expect([createsFor(sender), harness.upstream.creates.length]).toEqual([1, 3]);
  await harness.request([aDeposit({ subject: first.subject }), aDeposit()]);
  const told = await harness.untilScored(4);
  expect(told.map(({ risk_level, questions }) => [risk_level, questions.length])).toEqual(Array.from({ length: 4 }, () => ['Severe', 2]));
  expect([createsFor(sender), harness.upstream.creates.length]).toEqual([1, 4]);
});

test('a cached unknown transaction waits for a sender that is not cached', async () => {
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : severe));
  await harness.replica();
  const unnamed = aDeposit({}, null);
  await harness.request([unnamed]);
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'NO_DATA' }]);
  await harness.request([aDeposit({ subject: unnamed.subject })]);
  expect((await harness.untilScored(2)).find(({ questions }) => questions.length > 0)).toMatchObject({ risk_level: 'Severe' });
  expect(harness.upstream.creates).toHaveLength(2);
});

test('a changed score of the sender screens an unknown transaction again', async () => {
  let answer: typeof severe | typeof low = low;
  harness.upstream.answer((subject) => (isTxid(subject) ? nothing : answer));
  harness.upstream.change();
  await harness.replica();
  await vi.waitFor(async () => {
    const { rows } = await harness.pipeline.pool.query('SELECT FROM scoring.feeds WHERE cursor IS NOT NULL');
    expect(rows).toHaveLength(1);
  }, within);
  await harness.request([aDeposit()]);
  expect(await harness.untilScored(1)).toMatchObject([{ outcome: 'NO_DATA', questions: [{}, { risk_level: 'Low' }] }]);
  answer = severe;
  harness.upstream.change({ subject: sender });
  const told = await harness.untilScored(2);
  expect(told.find(({ attempt }) => attempt === 2)).toMatchObject({
    risk_level: 'Severe',
    questions: [{ outcome: 'NO_DATA' }, { subject: sender }],
  });
});
