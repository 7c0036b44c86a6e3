import { createChainSchema, putLabel } from '@weir/chain-store/testing';
import type { ScreeningRequested } from '@weir/contracts';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { aRequest, type Harness, openHarness } from './harness.testing.ts';

let harness: Harness;
beforeEach(async () => {
  harness = await openHarness();
});
afterEach(() => harness.close());

const withdrawal = (): ScreeningRequested => aRequest({ kind: 'withdrawal', direction: 'withdraw', lane: 'withdrawal' });
const renewal = (request: ScreeningRequested, revision: number, over: Partial<ScreeningRequested> = {}): ScreeningRequested => ({
  ...request,
  attempt: revision + 1,
  renews_revision: revision,
  ...over,
});
async function results({ screening_id }: ScreeningRequested): Promise<string[]> {
  const all = (await harness.scored()).filter((scored) => scored.screening_id === screening_id);
  const once = new Map(all.map((one) => [`${one.attempt}/${one.sequence}`, one]));
  return [...once].map(
    ([place, { outcome, renews_revision, reused }]) => `${place} ${outcome} renews ${renews_revision} ${reused ? 'reused' : 'new'}`,
  );
}
async function screen(requests: readonly ScreeningRequested[], count: number): Promise<void> {
  await harness.request(requests);
  await harness.untilScored(count);
}

test('an aged allow is renewed by a new lookup, though a result of the subject is there', async () => {
  await harness.replica();
  const request = withdrawal();
  await screen([request], 1);
  await screen([renewal(request, 1)], 2);
  expect(await results(request)).toEqual(['1/1 SCORED renews null new', '2/1 SCORED renews 1 new']);
  expect(harness.upstream.creates).toHaveLength(2);
});

test('a renewal is the next attempt, however often the transfer was screened, and the same one when it is read again', async () => {
  await harness.replica();
  const request = withdrawal();
  await screen([request], 1);
  for (const attempt of [2, 3]) await screen([{ ...request, attempt, lane: 'rescreen' }], attempt);
  await screen([renewal(request, 1)], 4);
  await harness.request([renewal(request, 1), renewal(request, 1), renewal(request, 2)]);
  await vi.waitFor(async () => expect(await results(request)).toHaveLength(5), { timeout: 20_000 });
  expect((await results(request)).map((one) => one.replace(/ SCORED| (new|reused)/g, ''))).toEqual([
    '1/1 renews null',
    '2/1 renews null',
    '3/1 renews null',
    '4/1 renews 1',
    '5/1 renews 2',
  ]);
});

test('a renewal and a re-screening that come together are two attempts', async () => {
  await harness.replica();
  const known = withdrawal();
  await screen([known], 1);
  await harness.request([{ ...known, attempt: 2, lane: 'rescreen' }, renewal(known, 1)]);
  await vi.waitFor(async () => expect((await results(known)).map((one) => one.slice(0, 3)).toSorted()).toEqual(['1/1', '2/1', '3/1']), {
    timeout: 20_000,
  });
});

test('a renewal without an answer is told of at its deadline', async () => {
  await harness.replica();
  const request = withdrawal();
  await screen([request], 1);
  harness.upstream.answer(() => ({ instead: { on: 'create', status: 503, body: '' } }));
  await screen([renewal(request, 1, { deadline_at: Date.now() + 300 })], 2);
  expect((await results(request))[1]).toBe('2/1 UNAVAILABLE renews 1 new');
});

test('a renewal of a receiver that is listed by now is told of at once', async () => {
  await harness.replica();
  const request = withdrawal();
  await screen([request], 1);
  await createChainSchema(harness.pipeline.pool);
  await putLabel(harness.pipeline.pool, { address: request.transfer.to_address });
  harness.upstream.answer(() => ({ running: 60 }));
  await screen([renewal(request, 1)], 2);
  const [, second] = (await harness.scored()).filter(({ screening_id }) => screening_id === request.screening_id);
  expect(second).toMatchObject({ attempt: 2, sequence: 1, renews_revision: 1, reasons: ['LOCAL_SANCTIONS_MATCH'] });
});
