import { migrateDatabase } from '@weir/installation/services';
import { systemClock } from '@weir/clock';
import { createLogger } from '@weir/service-kit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type EvmChain, startEvmChain } from '../../../../test/support/local-chains/index.ts';
import { type Ended, startWeir, weir } from '../testing/weir.ts';
import { openWorkspace, type Workspace } from '../testing/workspace.ts';

let workspace: Workspace;
let evm: EvmChain;
beforeAll(async () => {
  [workspace, evm] = await Promise.all([openWorkspace(), startEvmChain()]);
  await migrateDatabase(workspace.database.url, { clock: systemClock, logger: createLogger({ service: 'test', level: 'silent' }) });
  await evm.fund(`0x${'7'.repeat(40)}`, 5n);
  await evm.skipBlocks(300);
});
afterAll(async () => {
  await Promise.all([workspace.remove(), evm.close()]);
});

const envOf = (more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  DATABASE_URL: workspace.database.url,
  WEIR_CHAIN_NODES: `base=${evm.url}`,
  WEIR_CHAIN_CONFIRMATIONS: 'base=3',
  WEIR_CHAIN_POLL_MS: '200',
  WEIR_NODE_REQUESTS_PER_SECOND: '1000',
  ...more,
});
const follow = (args: readonly string[], more?: NodeJS.ProcessEnv): Promise<Ended> =>
  weir(['chains', 'follow', ...args], { env: envOf(more), cwd: workspace.path('.') });

test('missing blocks are filled in once, later ones with the next call, and until Ctrl-C', async () => {
  const first = await follow(['base', '--from', '1', '--once', '--json']);
  const [status] = JSON.parse(first.stdout);
  expect([first.code, status]).toEqual([
    0,
    expect.objectContaining({
      chain: 'base',
      first_block: 1,
      block: status.head - 3,
      blocks: status.head - 3,
      lag_blocks: 3,
      last_error: null,
    }),
  ]);
  await evm.skipBlocks(10);
  const again = await follow(['--once']);
  expect([again.code, again.stdout]).toEqual([0, expect.stringMatching(new RegExp(`^CHAIN .*\nbase +${status.block + 10} `))]);
  const live = startWeir(['chains', 'follow'], { env: envOf(), cwd: workspace.path('.') });
  await evm.skipBlocks(5);
  await expect
    .poll(async () => JSON.parse((await weir(['chains', 'status', '--json'], { env: envOf() })).stdout)[0].block, {
      timeout: 60_000,
      interval: 200,
    })
    .toBe(status.block + 15);
  expect(await live.end('SIGINT')).toBe(130);
});

test('what cannot be followed is wrong usage', async () => {
  expect(await follow(['--once'], { WEIR_CHAIN_NODES: '' })).toMatchObject({ code: 2, stderr: expect.stringContaining('names no node') });
  expect(await follow(['ethereum'])).toMatchObject({ code: 2, stderr: expect.stringContaining('names no node of ethereum') });
  expect(await follow(['base', '--from', '7'])).toMatchObject({ code: 2, stderr: expect.stringContaining('followed from block 1, not 7') });
  const two = `base=${evm.url},polygon=${evm.url}`;
  expect(await follow(['--from', '7'], { WEIR_CHAIN_NODES: two })).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('for one chain'),
  });
});

test('with --once a node that is away for a minute ends it with the reason', async () => {
  const { code, stderr } = await follow(['polygon', '--once'], { WEIR_CHAIN_NODES: 'polygon=http://127.0.0.1:9' });
  expect([code, stderr]).toEqual([1, expect.stringContaining('polygon is not followed now')]);
});
