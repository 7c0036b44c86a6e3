import { systemClock } from '@weir/clock';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type HttpNode, startHttpNode } from './http-node.testing.ts';
import { tronNode } from './tron-node.ts';

type Json = Record<string, unknown>;
const hash = (height: number): string => height.toString(16).padStart(64, '0');
const header = (number: number) => ({
  blockID: hash(number),
  block_header: { raw_data: { number, parentHash: hash(number - 1), timestamp: number } },
});
const genesis = { ...header(0), blockID: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc' };

let answers: Record<string, (body: Json) => unknown>;
let hanging = false;
let status = 200;
let server: HttpNode;
beforeEach(async () => {
  [hanging, status] = [false, 200];
  answers = {
    '/wallet/getblock': ({ id_or_num: of }) =>
      of === undefined ? header(7) : of === '0' ? genesis : Number(of) <= 7 ? header(Number(of)) : {},
    '/wallet/getblockbynum': ({ num }) => header(num as number),
    '/wallet/gettransactioninfobyblocknum': () => ({}),
  };
  server = await startHttpNode((body, { url = '' }) => (hanging ? undefined : { status, body: answers[url]?.(body) ?? {} }));
});
afterEach(() => server.close());

const node = (more: object = {}) =>
  tronNode({
    chain: 'tron',
    name: 'tron 1',
    url: server.url,
    clock: systemClock,
    signal: new AbortController().signal,
    timeoutMs: 10_000,
    requestsPerSecond: 1_000,
    ...more,
  });

it('tells its newest height, hashes and empty blocks', async () => {
  const one = node();
  expect(await one.head()).toBe(7);
  expect([await one.hashAt(3), await one.hashAt(8)]).toEqual([hash(3), undefined]);
  expect(await one.blocks({ from: 2, to: 3 })).toMatchObject([
    { height: 2, hash: hash(2), parentHash: hash(1), rows: [] },
    { height: 3, hash: hash(3), parentHash: hash(2), rows: [] },
  ]);
});

it('of another network is recognised by its first block, and asked again later', async () => {
  const one = node({ knownBlock: { height: 0, hash: hash(9) } });
  await expect(one.head()).rejects.toThrow('the node is none of tron');
  answers['/wallet/getblock'] = () => ({ ...header(0), blockID: hash(9) });
  expect(await one.head()).toBe(0);
});

it.each<[string, () => void, string]>([
  ['hangs', () => (hanging = true), 'no answer in'],
  ['is overloaded', () => (status = 503), 'status 503'],
  [
    'has an error of its own',
    () => (answers['/wallet/getblock'] = () => ({ Error: 'class java.lang.NullPointerException : null' })),
    'the node says class',
  ],
  ['gives no block', () => (answers['/wallet/getblock'] = () => ({ block_header: {} })), 'does not have block 0 of tron'],
])('one that %s is an error within its time, without its address', async (_what, spoil, reason) => {
  spoil();
  // Only silence needs a limit that a test can wait for.
  const asked = node(hanging ? { timeoutMs: 300 } : {}).head();
  await expect(asked).rejects.toMatchObject({ code: 'NODE', message: expect.stringContaining(reason) });
  await expect(asked).rejects.not.toMatchObject({ message: expect.stringContaining('127.0.0.1') });
});
