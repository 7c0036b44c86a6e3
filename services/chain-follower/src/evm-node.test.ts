import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@weir/clock';
import { createLogger } from '@weir/service-kit';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ChainNode } from './chain-node.ts';
import { type EvmNodeOptions, evmNode } from './evm-node.ts';

let server: Server;
let answers: Record<string, unknown>;
let requests: number;
let stopping: AbortController;
beforeEach(async () => {
  requests = 0;
  stopping = new AbortController();
  answers = { eth_chainId: '0x1', eth_getBlockByNumber: { number: '0x5', hash: '0xabc' } };
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => {
      requests += 1;
      const { id, method } = JSON.parse(body) as { id: number; method: string };
      const answer = answers[method];
      if (answer === 'never') return;
      const said = answer === undefined ? { error: { code: -32_601, message: 'unknown' } } : { result: answer };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const open = (over: Partial<EvmNodeOptions> = {}): ChainNode =>
  evmNode({
    chain: 'ethereum',
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/sesame`,
    name: 'ethereum 1',
    clock: systemClock,
    logger: createLogger({ service: 'test', level: 'silent' }),
    signal: stopping.signal,
    timeoutMs: 60_000,
    requestsPerSecond: 1_000,
    traces: true,
    ...over,
  });

describe('a node of an EVM chain', () => {
  it('gets no more requests a second than its limit', async () => {
    const node = open({ requestsPerSecond: 10 });
    const begun = systemClock.monotonic();
    await Promise.all(Array.from({ length: 25 }, () => node.hashAt(1)));
    // However late a request arrives, the 21st is sent two seconds after the first.
    expect(requests).toBeGreaterThan(25);
    expect(systemClock.monotonic() - begun).toBeGreaterThanOrEqual(2_000);
  });

  it('that does not answer fails within its limit, and its address is not told', async () => {
    answers['eth_chainId'] = 'never';
    const begun = systemClock.monotonic();
    const failed = await open({ timeoutMs: 200 })
      .head()
      .catch((error: Error) => error.message);
    expect(failed).toContain('the node');
    expect(failed).not.toContain('sesame');
    expect(systemClock.monotonic() - begun).toBeLessThan(20_000);
  });

  it('of another chain is refused, and asked again when it may be right', async () => {
    answers['eth_chainId'] = '0x38';
    const node = open();
    await expect(node.head()).rejects.toThrow('the node is one of chain 56, not of ethereum (1)');
    answers['eth_chainId'] = '0x1';
    expect(await node.head()).toBe(5);
  });

  it('that waits ends with a stop', async () => {
    answers['eth_getBlockByNumber'] = 'never';
    const asked = open({ timeoutMs: 60_000 }).head();
    stopping.abort();
    await expect(asked).rejects.toThrow('stopped');
  });
});
