import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTransferFile } from '../formats.ts';
import type { TransferRow } from '../rows.ts';
import { collect, rowsOf } from '../testing/files.ts';
import { publicFile } from '../testing/public-files.ts';
import { type FakeNode, startFakeNode } from './fake-node.testing.ts';
import { type NodeOptions, openNode } from './node.ts';
import { findRange, readRange } from './range.ts';

const scope = { chain: 'ethereum', source: 'a test' } as const;
const range = { from: 17_173_049, to: 17_173_050 };

let fake: FakeNode;
beforeEach(async () => {
  fake = await startFakeNode();
});
afterEach(() => fake.close());

const open = (options: NodeOptions = {}) => openNode(fake.url, { retryDelayMs: 1, ...options });
const read = async (options: NodeOptions = {}, after = 0) => collect(readRange(await open(options), scope, range)(after));
const failure = async (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'none',
    (error: Error) => error.message,
  );

async function exported(): Promise<TransferRow[]> {
  const names = ['transactions.json', 'logs.json'];
  const all = await Promise.all(
    names.map((name) => rowsOf(readTransferFile(publicFile('transfers', 'eth_blocks_17173049_17173050', name), 'ethereum-etl', scope))),
  );
  return all.flat();
}

const sorted = (rows: readonly TransferRow[]): string[] => rows.map((row) => JSON.stringify(row, Object.keys(row).toSorted())).toSorted();
const sortedRows = (records: Awaited<ReturnType<typeof read>>): string[] =>
  sorted(records.flatMap((record) => ('rows' in record ? record.rows : [])));

describe('a node', () => {
  it('gives the same transfers as an export of its blocks, a record for each block', async () => {
    const records = await read();
    expect(records.map(({ number }) => number)).toEqual([17_173_049, 17_173_050]);
    expect(sortedRows(records)).toEqual(sorted(await exported()));
    expect(await read({}, 17_173_049)).toEqual(records.slice(1));
    expect(await read({}, 17_173_050)).toEqual([]);
  });

  it('that cannot give a block’s receipts is asked for them one by one, a few at once', async () => {
    fake.behaviour.unknown = new Set(['eth_getBlockReceipts']);
    expect(sortedRows(await read())).toEqual(sorted(await exported()));
    expect(fake.mostAtOnce()).toBeLessThanOrEqual(32);
  });

  it('that is slow, fails or cuts the connection now and then is asked again', async () => {
    const times = new Map<string, number>();
    fake.behaviour.before = (method, params) => {
      const question = JSON.stringify([method, params]);
      times.set(question, (times.get(question) ?? 0) + 1);
      return ([503, false] as const)[(times.get(question) ?? 1) - 1];
    };
    expect(sortedRows(await read())).toEqual(sorted(await exported()));
    let slow = true;
    fake.behaviour.before = async (method) => {
      if (method !== 'eth_getBlockReceipts' || !slow) return undefined;
      slow = false;
      return new Promise<undefined>(() => undefined);
    };
    // Enough for a whole block on a slow machine.
    expect(sortedRows(await read({ timeoutMs: 3_000 }))).toEqual(sorted(await exported()));
  });

  it('that stays away ends the reading behind the last block that it gave, without a word of its address', async () => {
    fake.behaviour.before = (_method, [tag]) => (tag === '0x1060a3a' ? 503 : undefined);
    const numbers: number[] = [];
    const reading = async (): Promise<void> => {
      for await (const { number } of readRange(await open({ retries: 1 }), scope, range)(0)) numbers.push(number);
    };
    const said = await failure(reading());
    expect(said).toMatch(/^the node does not answer eth_getBlock\w+: HTTP request failed/);
    expect(said).not.toContain('sesame');
    expect(numbers).toEqual([17_173_049]);
    await fake.close();
    const gone = await failure(open({ retries: 0 }).then((node) => node.ask('eth_chainId', [])));
    expect(gone).toMatch(/^the node does not answer eth_chainId: /);
    expect(gone).not.toContain('sesame');
  });

  it('that asks to be left alone for long is not waited for', async () => {
    fake.behaviour.retryAfter = '3600';
    fake.behaviour.before = () => 429;
    expect(await failure(read({ timeoutMs: 500, retries: 1 }))).toBe('the node gives no answer in 1 s');
  });

  it('that is asked no more is not waited for', async () => {
    fake.behaviour.before = () => new Promise(() => undefined);
    const stop = new AbortController();
    const reading = failure(read({ signal: stop.signal }));
    while (fake.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    expect(await reading).toBe('stopped');
  });

  it.each<[string, (method: string, result: unknown) => unknown, string]>([
    ['lacks a block', (method, result) => (method === 'eth_getBlockByNumber' ? null : result), 'the node does not have block 17173049'],
    [
      'lacks receipts',
      (method, result) => (method === 'eth_getBlockReceipts' ? null : result),
      'the node does not give the receipts of block 17173049',
    ],
    [
      'lacks some receipts',
      (method, result) => (method === 'eth_getBlockReceipts' ? (result as unknown[]).slice(1) : result),
      'the node lacks receipts of block 17173049',
    ],
    [
      'gives one receipt twice and another not at all',
      (method, result) => {
        if (method !== 'eth_getBlockReceipts') return result;
        const receipts = result as { logs: unknown[] }[];
        const at = receipts.findIndex(({ logs }) => logs.length > 0);
        return receipts.with(at, receipts[(at + 1) % receipts.length] as { logs: unknown[] });
      },
      'the node lacks receipts of block 17173049',
    ],
    [
      'gives logs of a block that was taken back',
      (method, result) =>
        method === 'eth_getBlockReceipts'
          ? (result as { logs: object[] }[]).map((each) => ({ ...each, logs: each.logs.map((log) => ({ ...log, removed: true })) }))
          : result,
      'logs that the chain has taken back',
    ],
    [
      'changes its mind',
      (method, result) =>
        method === 'eth_getBlockReceipts' ? (result as object[]).map((each) => ({ ...each, blockHash: '0x1' })) : result,
      'block 17173049 changed while it was read; ask again',
    ],
    [
      'gives another block',
      (method, result) => (method === 'eth_getBlockByNumber' ? { ...(result as object), number: '0x1' } : result),
      'another block',
    ],
    [
      'gives nonsense',
      (method, result) => (method === 'eth_getBlockByNumber' ? { number: 'many' } : result),
      'gives no number for the height',
    ],
  ])('that %s ends the reading', async (_what, change, said) => {
    fake.behaviour.change = change;
    expect(await failure(read())).toContain(said);
  });
});

describe('the range', () => {
  it('ends with the last block that is final, unless more is asked for', async () => {
    expect(await findRange(await open(), scope, 17_173_049, undefined)).toEqual({ from: 17_173_049, to: 17_173_049 });
    expect(await findRange(await open(), scope, 17_173_049, undefined, true)).toEqual(range);
    expect(await failure(findRange(await open(), scope, 17_173_049, 17_173_050))).toBe(
      'block 17173050 is not final yet; the last that is, is 17173049',
    );
    expect(await failure(findRange(await open(), scope, 17_173_050, undefined))).toBe(
      'block 17173050 is not final yet; the last that is, is 17173049',
    );
    expect(await failure(findRange(await open(), scope, 17_173_051, 17_173_060, true))).toContain('block 17173060 is not there yet');
    expect(await failure(findRange(await open(), scope, 17_173_049, 17_173_048))).toBe('block 17173049 comes after block 17173048');
  });

  it('is one of the right chain', async () => {
    expect(await failure(findRange(await open(), { ...scope, chain: 'bsc' }, 1, 2))).toBe('the node is one of chain 1, not of bsc (56)');
    expect(await failure(findRange(await open(), { ...scope, chain: 'tron' }, 1, 2))).toContain(
      "tron has no nodes with Ethereum's JSON-RPC",
    );
  });
});
