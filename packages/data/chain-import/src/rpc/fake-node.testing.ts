import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { publicFile } from '../testing/public-files.ts';

type Json = Record<string, unknown>;

/** May be changed while the node runs. */
interface Behaviour {
  /** Methods that the node rejects as unknown. */
  unknown: ReadonlySet<string>;
  /** Called before each answer: may return a status to answer with, or false to close the connection. */
  before: (method: string, params: readonly unknown[]) => number | false | undefined | Promise<number | false | undefined>;
  /** Seconds to wait, sent with an error status. */
  retryAfter?: string;
  change: (method: string, result: unknown) => unknown;
  /** By method; by default the node has none. */
  traces: Readonly<Record<string, (tag: string, block: Json) => unknown>>;
}

export interface FakeNode {
  readonly url: string;
  readonly asked: string[];
  readonly behaviour: Behaviour;
  /** The maximum of concurrent requests. */
  mostAtOnce(): number;
  close(): Promise<void>;
}

const folder = 'eth_blocks_17173049_17173050';
const lines = (name: string): Json[] =>
  readFileSync(publicFile('transfers', folder, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line.replaceAll(/("value": ?)(\d+)/g, '$1"$2"')) as Json);

const hex = (value: unknown): string => `0x${BigInt(value as string | number).toString(16)}`;

/** The two real blocks in JSON-RPC form. */
function makeChain(): { blocks: Map<string, Json>; receipts: Map<string, Json[]> } {
  const logs = lines('logs.json').map((log) => ({
    address: log['address'],
    topics: log['topics'],
    data: log['data'],
    logIndex: hex(log['log_index']),
    transactionHash: log['transaction_hash'],
    blockHash: log['block_hash'],
  }));
  const transactions = lines('transactions.json');
  const blocks = new Map<string, Json>();
  const receipts = new Map<string, Json[]>();
  let parentHash = `0x${'0'.repeat(64)}`;
  for (const block of lines('blocks.json')) {
    const own = transactions.filter((each) => each['block_number'] === block['number']);
    const number = hex(block['number']);
    blocks.set(number, {
      number,
      hash: block['hash'],
      parentHash,
      timestamp: hex(block['timestamp']),
      transactions: own.map((each) => ({
        hash: each['hash'],
        from: each['from_address'],
        to: each['to_address'],
        value: hex(each['value']),
      })),
    });
    parentHash = String(block['hash']);
    receipts.set(
      number,
      own.map((each) => ({
        transactionHash: each['hash'],
        blockHash: block['hash'],
        status: hex(each['receipt_status']),
        contractAddress: null,
        logs: logs.filter((log) => log.transactionHash === each['hash']),
      })),
    );
  }
  return { blocks, receipts };
}

/** Serves Ethereum's blocks 17173049 and 17173050 over HTTP; the first is final. */
export async function startFakeNode(): Promise<FakeNode> {
  const { blocks, receipts } = makeChain();
  const all = [...receipts.values()].flat();
  const asked: string[] = [];
  const behaviour: Behaviour = { unknown: new Set(), before: () => undefined, change: (_method, result) => result, traces: {} };
  const answers: Record<string, (...params: never[]) => unknown> = {
    eth_chainId: () => '0x1',
    eth_getBlockByNumber: (tag: string) => blocks.get(tag === 'latest' ? '0x1060a3a' : tag === 'finalized' ? '0x1060a39' : tag) ?? null,
    eth_getBlockReceipts: (tag: string) => receipts.get(tag) ?? null,
    eth_getTransactionReceipt: (hash: string) => all.find((receipt) => receipt['transactionHash'] === hash) ?? null,
    eth_getLogs: ({ blockHash, topics }: { blockHash: string; topics: string[] }) =>
      all
        .flatMap((receipt) => receipt['logs'] as Json[])
        .filter((log) => log['blockHash'] === blockHash && (log['topics'] as string[])[0] === topics[0]),
  };
  let open = 0;
  let most = 0;
  const server = createServer((request, response) => void answer(request, response));
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    open += 1;
    most = Math.max(most, open);
    response.once('close', () => (open -= 1));
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: never[] };
    asked.push(`${method} ${typeof params[0] === 'string' ? params[0] : ''}`.trim());
    const status = await behaviour.before(method, params);
    if (status === false) return void request.socket.destroy();
    if (status !== undefined) return void response.writeHead(status, { 'retry-after': behaviour.retryAfter ?? '' }).end('{}');
    const traces = behaviour.traces[method];
    const known = traces === undefined ? answers[method] : (tag: string) => traces(tag, blocks.get(tag) ?? {});
    const said =
      known === undefined || behaviour.unknown.has(method)
        ? { error: { code: -32_601, message: `the method ${method} does not exist/is not available` } }
        : { result: behaviour.change(method, known(...params)) };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://user:sesame@127.0.0.1:${(server.address() as AddressInfo).port}/v2/sesame`,
    asked,
    behaviour,
    mostAtOnce: () => most,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
