import { eventId, screeningId } from '@weir/contracts';
import { caughtUp, openTestStack, type TestStack } from '@weir/service-kit/testing';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { consoleRole, decided, publish } from '../events.testing.ts';
import { type PostingConsole, settingsFor, startPosting } from './console.testing.ts';
import { type Receiver, startReceiver } from './receiver.testing.ts';

let stack: TestStack;
let receiver: Receiver;
let console: PostingConsole;
const idOf = (n: number): string => eventId('screenings.decided', screeningId('deposit', `deposit-${n}`), 1);
const path = '/v1/webhooks/deliveries';

beforeAll(async () => {
  stack = await openTestStack({ roles: [consoleRole] });
  receiver = await startReceiver();
  receiver.behave((response, { payload }) => response.writeHead(payload.data.source_id === 'deposit-1' ? 400 : 200).end());
  console = await startPosting(stack, settingsFor(receiver));
  for (let n = 1; n <= 7; n += 1) await publish(console.pipeline, [decided('deposit', n)]);
  await vi.waitFor(async () => expect((await console.ask('GET', `${path}?state=delivered`)).body.items).toHaveLength(6), 10_000);
});
afterAll(async () => {
  await stack.close();
  await receiver.close();
});

test('the list is newest first, of one state, page by page', async () => {
  const seen: string[] = [];
  for (let cursor = ''; ; ) {
    const { status, body } = await console.ask('GET', `${path}?limit=3&cursor=${cursor}`);
    expect(status).toBe(200);
    seen.push(...body.items.map((item: { event_id: string }) => item.event_id));
    if (body.next_cursor === null) break;
    cursor = body.next_cursor;
  }
  expect(new Set(seen)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7].map(idOf)));
  expect(seen).toHaveLength(7);
  const times = (await console.ask('GET', path)).body.items.map((item: { created_at: string }) => item.created_at);
  expect(times).toEqual(times.toSorted().toReversed());
  const pending = (await console.ask('GET', `${path}?state=pending`)).body.items;
  expect(pending).toMatchObject([{ event_id: idOf(1), state: 'pending', last_status: 400 }]);
  expect(pending[0]).not.toHaveProperty('body');
});

test('deliveries are exported as they are filtered, without their payloads', async () => {
  const exported = async (query: string): Promise<Record<string, string>[]> => {
    const answer = await console.fetch(`/v1/exports/deliveries${query}`);
    expect([answer.status, answer.headers.get('x-weir-cut')]).toEqual([200, 'false']);
    return parse(await answer.text(), { columns: true });
  };
  const [failing, ...others] = await exported('?state=pending');
  expect(others).toEqual([]);
  expect(failing).toMatchObject({ event_id: idOf(1), state: 'pending', revision: '1', last_status: '400', settled_at: '' });
  expect(failing).not.toHaveProperty('body');
  const listed = (await console.ask('GET', path)).body.items.map((item: { event_id: string }) => item.event_id);
  expect((await exported('')).map(({ event_id: id }) => id)).toEqual(listed);
  expect((await console.ask('GET', '/v1/exports/deliveries?limit=5')).status).toBe(400);
  expect((await console.ask('GET', '/v1/exports/deliveries', 'gate')).status).toBe(403);
});

test.each([
  ['state=lost', 'INVALID_STATE'],
  ['cursor=x', 'INVALID_CURSOR'],
  ['limit=0', 'INVALID_LIMIT'],
])('%s is %s', async (query, code) => {
  expect(await console.ask('GET', `${path}?${query}`)).toMatchObject({ status: 400, body: { code } });
});

test.each<[string, number, number]>([
  ['auditor', 200, 403],
  ['reviewer', 200, 403],
  ['admin', 200, 200],
  ['gate', 403, 403],
  ['nobody', 401, 401],
])('%s reads with %i and retries with %i', async (role, reads, retries) => {
  expect((await console.ask('GET', path, role)).status).toBe(reads);
  expect((await console.ask('GET', `${path}/${idOf(2)}`, role)).status).toBe(reads);
  expect((await console.ask('POST', `${path}/${idOf(1)}/retry`, role)).status).toBe(retries);
});

test('what was delivered can be had again, under the same id', async () => {
  const before = receiver.arrivals.filter(({ id }) => id === idOf(3)).length;
  expect((await console.ask('POST', `${path}/${idOf(3).toUpperCase()}/retry`, 'admin')).body).toMatchObject({ state: 'pending' });
  await vi.waitFor(() => expect(receiver.arrivals.filter(({ id }) => id === idOf(3))).toHaveLength(before + 1), 10_000);
});

test.each([idOf(99), 'x'])('there is none called %s', async (id) => {
  expect(await console.ask('GET', `${path}/${id}`)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
  expect(await console.ask('POST', `${path}/${id}/retry`, 'admin')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
});

test('without an address nothing is read or sent, the log can be read, and what was decided meanwhile is told later', async () => {
  await console.stop();
  console = await startPosting(stack, settingsFor({ url: '', secret: '' }));
  expect(console.logged()).toContain('webhooks are off');
  await publish(console.pipeline, [decided('deposit', 8)]);
  await caughtUp(console.pipeline, 'console');
  expect((await console.ask('GET', path)).body.items).toHaveLength(7);
  expect(await console.ask('POST', `${path}/${idOf(1)}/retry`, 'admin')).toMatchObject({ status: 409, body: { code: 'WEBHOOKS_OFF' } });
  expect(await console.scrape()).toContain('weir_consumer_lag{topic="screenings.decided",group="webhooks"} 1');
  await console.stop();
  console = await startPosting(stack, settingsFor(receiver));
  await vi.waitFor(async () => expect((await console.ask('GET', `${path}/${idOf(8)}`)).body).toMatchObject({ state: 'delivered' }), 10_000);
});

test('switched off for good, as documented, the group holds nothing back', async () => {
  await console.stop();
  await stack.db.pool.query(`DELETE FROM log.assignments WHERE group_id = (SELECT id FROM log.groups WHERE name = 'webhooks')`);
  console = await startPosting(stack, settingsFor({ url: '', secret: '' }));
  expect(await console.pipeline.log.lag('webhooks')).toEqual([]);
});
