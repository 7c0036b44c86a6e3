import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readTransferFile } from '../formats.ts';
import type { TransferRow } from '../rows.ts';
import { collect, makeFolder, rowsOf } from '../testing/files.ts';
import { type FakeNode, startFakeNode } from './fake-node.testing.ts';
import { openNode } from './node.ts';
import { readRange } from './range.ts';
import { findTraceMethod } from './traces.ts';

const scope = { chain: 'ethereum', source: 'a test' } as const;
const height = 17_173_049;
const range = { from: height, to: height };
const [router, pool, fresh, owner] = ['2', '3', '4', '5'].map((digit) => `0x${digit.repeat(40)}`);

let fake: FakeNode;
beforeEach(async () => {
  fake = await startFakeNode();
});
afterEach(() => fake.close());

const open = () => openNode(fake.url, { retryDelayMs: 1, retries: 0 });
async function internalRows(): Promise<TransferRow[]> {
  const node = await open();
  const traces = await findTraceMethod(node, height);
  const plain = new Set(
    (await collect(readRange(node, scope, range)(0)))
      .flatMap((each) => ('rows' in each ? each.rows : []))
      .map((row) => JSON.stringify(row)),
  );
  const all = (await collect(readRange(node, scope, range, traces)(0))).flatMap((each) => ('rows' in each ? each.rows : []));
  return all.filter((row) => !plain.has(JSON.stringify(row)));
}
const words = (rows: readonly TransferRow[]): string[] =>
  rows.map(({ from_address, to_address, amount }) => `${from_address.slice(2, 3)} ${to_address.slice(2, 3)} ${amount}`);

type Json = Record<string, unknown>;
type Call = { type: string; from?: unknown; to?: unknown; value?: string; error?: string; calls?: readonly Call[] };
const eth = '0xde0b6b3a7640000';
const root = (calls: readonly Call[], more: Partial<Call> = {}): Call => ({
  type: 'CALL',
  from: owner,
  to: router,
  value: eth,
  calls,
  ...more,
});
/** The calls of the first transaction; the others have none. */
const withdrawal = root([
  { type: 'CALL', from: router, to: pool, value: '0x0', calls: [{ type: 'CALL', from: pool, to: fresh, value: eth }] },
  { type: 'DELEGATECALL', from: router, to: pool, value: eth },
  {
    type: 'CALL',
    from: router,
    to: pool,
    value: eth,
    error: 'execution reverted',
    calls: [{ type: 'CALL', from: pool, to: owner, value: eth, calls: [] }],
  },
  { type: 'STATICCALL', from: router, to: pool },
  { type: 'CREATE2', from: router, to: fresh, value: eth },
  { type: 'SELFDESTRUCT', from: pool, to: owner, value: eth },
]);

const txidsOf = (block: Json): string[] => (block['transactions'] as { hash: string }[]).map(({ hash }) => hash);
const treesOf = (block: Json, first: Call): { txHash: string; result: Call }[] =>
  txidsOf(block).map((txHash, n) => ({ txHash, result: n === 0 ? first : root([]) }));
const debug = (first: Call) => ({ debug_traceBlockByNumber: (_tag: string, block: Json) => treesOf(block, first) });

/** The same calls as `trace_block` lists them. */
function flat(block: Json, txHash: string, call: Call, traceAddress: readonly number[]): Json[] {
  const type = call.type.startsWith('CREATE') ? 'create' : call.type === 'SELFDESTRUCT' ? 'suicide' : 'call';
  const { from, to, value } = call;
  const action =
    type === 'suicide'
      ? { address: from, refundAddress: to, balance: value }
      : { from, to, value: value ?? '0x0', callType: call.type.toLowerCase() };
  const own = {
    type,
    action,
    traceAddress,
    transactionHash: txHash,
    blockHash: block['hash'],
    ...(call.error === undefined ? {} : { error: call.error }),
  };
  const result = type === 'create' ? { result: { address: to } } : {};
  return [{ ...own, ...result }, ...(call.calls ?? []).flatMap((each, n) => flat(block, txHash, each, [...traceAddress, n]))];
}
const listOf = (block: Json, first: Call): Json[] => [
  ...treesOf(block, first).flatMap(({ txHash, result }) => flat(block, txHash, result, [])),
  { type: 'reward', action: { author: owner, value: eth, rewardType: 'block' }, traceAddress: [], blockHash: block['hash'] },
];
const parity = (first: Call) => ({ trace_block: (_tag: string, block: Json) => listOf(block, first) });

describe.each([
  ['trace_block', parity],
  ['debug_traceBlockByNumber', debug],
])('a node with %s', (method, tracesOf) => {
  it('gives the payments of contracts, without those of failed calls and of what stands below them', async () => {
    fake.behaviour.traces = tracesOf(withdrawal);
    expect(await findTraceMethod(await open(), height)).toBe(method);
    expect(words(await internalRows())).toEqual(['3 4 1', '2 4 1', '3 5 1']);
  });

  it('gives none of a transaction that failed', async () => {
    fake.behaviour.traces = tracesOf({ ...withdrawal, error: 'out of gas' });
    expect(await internalRows()).toEqual([]);
  });

  it('that lacks the traces of a transaction ends the reading', async () => {
    fake.behaviour.traces = {
      [method]: (tag, block) =>
        (tracesOf(withdrawal)[method as never] as (tag: string, block: Json) => unknown[])(tag, block).slice(
          method === 'trace_block' ? 9 : 1,
        ),
    };
    await expect(internalRows()).rejects.toThrow(`the node lacks traces of block ${height}`);
  });
});

describe('a node', () => {
  it('gives the transfers of an export of its traces, at the same positions', async () => {
    fake.behaviour.traces = parity(withdrawal);
    const rows = await internalRows();
    const [txid] = rows.map((row) => row.txid);
    const exported = [
      { trace_address: [0, 0], from_address: pool, to_address: fresh },
      { trace_address: [4], from_address: router, to_address: fresh, trace_type: 'create' },
      { trace_address: [5], from_address: pool, to_address: owner, trace_type: 'suicide' },
    ].map((trace) =>
      JSON.stringify({
        trace_type: 'call',
        value: '1000000000000000000',
        status: 1,
        transaction_hash: txid,
        block_timestamp: rows[0]?.time,
        ...trace,
      }),
    );
    const folder = makeFolder();
    expect(await rowsOf(readTransferFile(folder.write('traces.jsonl', exported.join('\n')), 'ethereum-etl', scope))).toEqual(rows);
    folder.remove();
  });

  it('of an older geth, whose traces have no transaction, is understood by their order', async () => {
    fake.behaviour.traces = { debug_traceBlockByNumber: (_tag, block) => treesOf(block, withdrawal).map(({ result }) => ({ result })) };
    const node = await open();
    const block = (await node.ask('eth_getBlockByNumber', [`0x${height.toString(16)}`, true])) as Json;
    expect(new Set((await internalRows()).map(({ txid }) => txid))).toEqual(new Set([txidsOf(block)[0]]));
  });

  it('whose traces are of another block ends the reading', async () => {
    fake.behaviour.traces = { trace_block: (_tag, block) => listOf({ ...block, hash: '0x1' }, withdrawal) };
    await expect(internalRows()).rejects.toThrow(`block ${height} changed while it was read; ask again`);
  });

  it('that could not trace a transaction ends the reading', async () => {
    fake.behaviour.traces = { debug_traceBlockByNumber: (_tag, block) => treesOf(block, withdrawal).map(() => ({ error: 'timeout' })) };
    await expect(internalRows()).rejects.toThrow('the node gives a trace of no transaction');
  });

  it('without traces gives the rest', async () => {
    expect(await findTraceMethod(await open(), height)).toBeUndefined();
    expect(await internalRows()).toEqual([]);
  });
});
