import { systemClock } from '@weir/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { RiskClient, type ScoreChangesAnswer } from './index.ts';
import { extraField, type Mutation, misprint, otherValue, splice } from './mutations.testing.ts';

const item = { chain: 'ethereum', subject_type: 'address', subject: '0x1', direction: 'deposit', changed_at: 7 };
const page = { items: [item], next_cursor: 'c1', more: false };

function read(text: string, status = 200, type = 'application/json'): Promise<ScoreChangesAnswer> {
  const reply = new Response(text, { status, headers: { 'content-type': type } });
  const options = { baseUrl: 'http://api', apiKey: 'some-key', keyIn: 'header', clock: systemClock, fetch: async () => reply } as const;
  return new RiskClient(options).scoreChanges({ after: 'c0' });
}
const readPage = (over: object): Promise<ScoreChangesAnswer> =>
  read(JSON.stringify({ success: true, msg: '', data: { ...page, ...over } }));

test.each([
  ['application/json', '{"success":false,"msg":"PageNotFound","data":{}}'],
  ['text/html', '<html>'],
])('an API that has no such operation is told apart, whatever it says: %s', async (type, body) => {
  expect(await read(body, 404, type)).toEqual({ kind: 'not_found' });
});

test('the first answer has nothing and the present end', async () => {
  expect(await readPage({ items: [] })).toEqual({ kind: 'changes', items: [], next_cursor: 'c1', more: false });
});

test.each([
  ['more that never comes', { items: [], more: true }, 'more'],
  ['no cursor', { next_cursor: undefined }, 'next_cursor'],
  ['an empty cursor', { next_cursor: '' }, 'next_cursor'],
  ['a cursor with spaces', { next_cursor: 'a b' }, 'next_cursor'],
  ['no items', { items: undefined }, 'items'],
  ['more in words', { more: 'false' }, 'more'],
  ['a side that is none', { items: [{ ...item, direction: 'both' }] }, 'items.0.direction'],
  ['a type that is none', { items: [{ ...item, subject_type: 'user' }] }, 'items.0.subject_type'],
  ['nobody', { items: [{ ...item, subject: '' }] }, 'items.0.subject'],
  ['milliseconds', { items: [{ ...item, changed_at: 1_700_000_000_000 }] }, 'items.0.changed_at'],
])('%s is not understood', async (_, over, where) => {
  const detail = `data.${where} is missing or not understood`;
  expect(await readPage(over)).toEqual({ kind: 'unavailable', reason: 'UNREADABLE', detail });
});

const changes = fc.record({
  chain: fc.constantFrom('ethereum', 'bitcoin'),
  subject_type: fc.constantFrom('address', 'txid'),
  subject: fc.constantFrom('0xaa', 'T1'),
  direction: fc.constantFrom('deposit', 'withdraw'),
  changed_at: fc.integer({ min: 0, max: 2_000_000_000 }),
});
const valid = fc.record({
  success: fc.constant(true),
  msg: fc.constant(''),
  data: fc.record({ items: fc.array(changes, { minLength: 1, maxLength: 3 }), next_cursor: fc.constant('AQID-9'), more: fc.boolean() }),
});

test.each([
  ['a piece of text cut or put in', fc.array(splice, { minLength: 1, maxLength: 3 })],
  ['misprints', fc.array(misprint, { minLength: 1, maxLength: 3 })],
  ['further fields', fc.array(extraField, { minLength: 1, maxLength: 2 })],
  ['other values', fc.array(otherValue, { minLength: 1, maxLength: 2 })],
] as const)('%s: never a page that the answer does not state itself', async (_name, mutations) => {
  const kinds = new Map<string, number>();
  const property = fc.asyncProperty(valid, mutations, async (answer, steps: readonly Mutation[]) => {
    const text = steps.reduce((json, change) => change(json), JSON.stringify(answer));
    const got = await read(text);
    kinds.set(got.kind, (kinds.get(got.kind) ?? 0) + 1);
    if (got.kind !== 'changes') return;
    const { success, data } = JSON.parse(text) as { success: unknown; data: typeof page };
    expect(success).toBe(true);
    expect([got.next_cursor, got.more]).toEqual([data.next_cursor, data.more]);
    const stated = data.items.map((one) => [one.chain, one.subject_type, one.subject, one.direction, String(one.changed_at)]);
    expect(got.items.map((one) => [one.chain, one.subject_type, one.subject, one.direction, String(one.changed_at)])).toEqual(stated);
    // Each field occurs once, so no reader could see another value.
    let occurrence = 0;
    const told = text.replace(/"(items|next_cursor|more)"\s*:/g, (_, name: string) => `"${name}#${occurrence++}":`);
    const names = Object.keys((JSON.parse(told) as { data: object }).data).filter((name) => name.includes('#'));
    expect(new Set(names.map((name) => name.split('#')[0]))).toEqual(new Set(['items', 'next_cursor', 'more']));
    expect(names).toHaveLength(3);
  });
  // Of text that was cut, one answer in 32 is still a page; so many runs make less than 20 of them impossible in practice.
  await fc.assert(property, { numRuns: 3_000 });
  expect(kinds.get('changes') ?? 0).toBeGreaterThan(20);
  expect(kinds.get('unavailable') ?? 0).toBeGreaterThan(50);
});
