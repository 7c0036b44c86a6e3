import { systemClock } from '@weir/clock';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type EvmChain, startEvmChain } from '../../../test/support/local-chains/index.ts';
import { listenForHeads } from './new-heads.ts';

let evm: EvmChain;
beforeAll(async () => {
  evm = await startEvmChain();
});
afterAll(() => evm.close());

it('a new block of a real node is announced at once, and the listener ends with its signal', async () => {
  const stopping = new AbortController();
  const onHead = vi.fn();
  const url = evm.url.replace('http:', 'ws:');
  const listening = listenForHeads({
    chain: 'base',
    url,
    clock: systemClock,
    signal: stopping.signal,
    onHead,
    onClosed: (reason) => expect.fail(reason),
  });
  await vi.waitFor(
    async () => {
      await evm.skipBlocks(1);
      expect(onHead).toHaveBeenCalled();
    },
    { timeout: 30_000, interval: 100 },
  );
  stopping.abort();
  await listening;
});

it('a node that is away is asked again, without its address in the reason', async () => {
  const stopping = new AbortController();
  const reasons: string[] = [];
  const listening = listenForHeads({
    chain: 'solana',
    url: 'ws://127.0.0.1:9/?key=secret',
    clock: { ...systemClock, sleep: async (ms, signal) => (ms > 60_000 ? systemClock.sleep(ms, signal) : undefined) },
    signal: stopping.signal,
    onHead: () => expect.fail('nothing is announced'),
    onClosed: (reason) => {
      reasons.push(reason);
      if (reasons.length === 3) stopping.abort();
    },
  });
  await listening;
  expect(reasons).toEqual(Array.from({ length: 3 }, () => 'the connection failed'));
});
