import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type EvmChain, startEvmChain } from '../../../../test/support/local-chains/index.ts';
import { freePorts, type Live, makeFolder, startWeir, weir } from '../testing/weir.ts';

const folder = makeFolder();
const place = ['--data-dir', folder.path];
let port = 0;
let evm: EvmChain;
let live: Live | undefined;

beforeAll(async () => {
  [port, evm] = await Promise.all([freePorts(), startEvmChain()]);
  for (let n = 1; n <= 10; n += 1) await evm.fund(`0x${String(n).padStart(40, '0')}`, 5n);
  await evm.skipBlocks(1_000);
});
afterAll(async () => {
  await live?.end('SIGKILL');
  await evm.close();
  folder.remove();
});

async function start(pollMs: number): Promise<void> {
  live = startWeir(['start', '--port', String(port), '--no-sample', ...place], {
    env: {
      // Nobody listens at the first.
      WEIR_CHAIN_NODES: `base=http://127.0.0.1:9,base=${evm.url}`,
      WEIR_CHAIN_FIRST_BLOCKS: 'base=1',
      WEIR_CHAIN_CONFIRMATIONS: 'base=3',
      WEIR_CHAIN_POLL_MS: String(pollMs),
      WEIR_CHAIN_HEADS: `base=${evm.url.replace('http:', 'ws:')}`,
      WEIR_NODE_REQUESTS_PER_SECOND: '1000',
    },
  });
  await live.said('Ready after');
}

const metric = async (name: string): Promise<number> => {
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  return Number(new RegExp(`^${name}\\{chain="base"\\} (\\S+)$`, 'm').exec(text)?.[1]);
};

test('weir start follows a chain, goes on after kill -9, and "weir chains status" shows how far', async () => {
  await start(200);
  await vi.waitFor(async () => expect(await metric('weir_chain_blocks_total')).toBeGreaterThan(0), { timeout: 60_000, interval: 20 });
  await live?.end('SIGKILL');
  // From here on only the node itself tells of its blocks in time.
  await start(600_000);
  await vi.waitFor(async () => expect(await metric('weir_chain_lag_blocks')).toBe(3), { timeout: 120_000, interval: 100 });
  await evm.fund(`0x${'7'.repeat(40)}`, 9n);
  await evm.skipBlocks(3);
  const head = Number(JSON.parse((await weir(['chains', 'status', '--json', ...place])).stdout)[0].head);
  await vi.waitFor(
    async () => {
      const { stdout, code } = await weir(['chains', 'status', '--json', ...place]);
      const [status] = JSON.parse(stdout);
      // No block is stored twice.
      expect([code, status]).toEqual([
        0,
        expect.objectContaining({
          chain: 'base',
          first_block: 1,
          block: status.head - 3,
          blocks: status.head - 3,
          lag_blocks: 3,
          reorganisations: 0,
          last_error: null,
        }),
      ]);
      expect(status.head).toBeGreaterThanOrEqual(head);
    },
    { timeout: 60_000, interval: 500 },
  );
  expect(await metric('weir_chain_nodes_left_total')).toBeGreaterThan(0);
  const { stdout } = await weir(['chains', 'status', ...place]);
  expect(stdout).toMatch(/^CHAIN +BLOCK +HEAD +LAG +AGE +BLOCKS +REORGANISATIONS +ERROR\nbase +\d+ +\d+ +3 /);
});
