import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { findTraceMethod, openNode, readRange } from '@weir/chain-import';
import { readFollowedChain } from '@weir/chain-store';
import { contents, createChainDatabase, importChainRecords } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import { migrateDatabase } from '@weir/installation/services';
import { urlOfRole } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import { createLogger, roleOf } from '@weir/service-kit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type EvmChain, startEvmChain } from '../support/local-chains/index.ts';
import { freePort } from '../support/stack/ports.ts';

const root = join(import.meta.dirname, '..', '..');
const program = join(root, 'services', 'chain-follower', 'src', 'main.ts');
const blocks = 600;
const kills = 8;

let evm: EvmChain;
let followed: TestDatabase;
let imported: TestDatabase;
let running: ChildProcess | undefined;
beforeAll(async () => {
  [evm, followed, imported] = await Promise.all([startEvmChain(), createTestDatabase(), createChainDatabase()]);
  await migrateDatabase(followed.url, { clock: systemClock, logger: createLogger({ service: 'test', level: 'silent' }) });
  for (let n = 1; n <= blocks / 10; n += 1) {
    await evm.fund(`0x${String((n % 13) + 1).padStart(40, '0')}`, BigInt(n));
    await evm.skipBlocks(9);
  }
});
afterAll(async () => {
  running?.kill('SIGKILL');
  await Promise.all([evm.close(), followed.drop(), imported.drop()]);
});

async function start(env: NodeJS.ProcessEnv = {}): Promise<{ child: ChildProcess; errors: () => string }> {
  let errors = '';
  const child = spawn(process.execPath, [program], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...process.env,
      DATABASE_URL: urlOfRole(followed.url, roleOf('chain-follower')),
      WEIR_PORT: String(await freePort()),
      WEIR_LOG_LEVEL: 'warn',
      WEIR_CHAIN_NODES: `base=${evm.url}`,
      WEIR_CHAIN_FIRST_BLOCKS: 'base=1',
      WEIR_CHAIN_CONFIRMATIONS: 'base=0',
      WEIR_CHAIN_POLL_MS: '100',
      WEIR_NODE_REQUESTS_PER_SECOND: '400',
      ...env,
    },
  });
  child.stderr?.on('data', (chunk: Buffer) => (errors += String(chunk)));
  running = child;
  return { child, errors: () => errors };
}

const height = async (): Promise<number> => (await readFollowedChain(followed.pool, 'base'))?.height ?? 0;

test('the service by itself stores each block once, however often it is killed', async () => {
  const node = await openNode(evm.url, {});
  const head = Number(await node.ask('eth_blockNumber', []));
  const heights: number[] = [];
  for (let kill = 0; kill < kills; kill += 1) {
    const { child } = await start();
    const before = await height();
    const killedAt = Math.min(head, before + 1 + kill * 9);
    await vi.waitFor(async () => expect(await height()).toBeGreaterThanOrEqual(killedAt), { timeout: 60_000, interval: 5 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    heights.push(await height());
  }
  const { child } = await start();
  await vi.waitFor(async () => expect(await height()).toBe(head), { timeout: 60_000, interval: 50 });
  child.kill('SIGTERM');
  expect(await once(child, 'exit')).toEqual([0, null]);
  process.stdout.write(`killed at blocks ${heights.join(', ')} of ${head}\n`);
  expect(await readFollowedChain(followed.pool, 'base')).toMatchObject({ blocks: head, reorganisations: 0, lastError: null });
  const scope = { chain: 'base', source: 'node' } as const;
  await importChainRecords(imported.pool, {
    kind: 'transfers',
    key: 'the same blocks',
    name: 'anvil',
    clock: systemClock,
    onRejected: ({ reason }) => {
      throw new Error(reason);
    },
    read: readRange(node, scope, { from: 1, to: head }, await findTraceMethod(node, head)),
  });
  expect(await contents(followed.pool)).toEqual(await contents(imported.pool));
});

test.each([
  [{ WEIR_CHAIN_NODES: '' }, 'setting WEIR_CHAIN_NODES is not set'],
  [{ WEIR_CHAIN_NODES: 'base=secret' }, 'a node of base is no URL'],
])('with %o the service ends with a line that says why', async (env, reason) => {
  const { child, errors } = await start(env);
  expect(await once(child, 'exit')).toEqual([1, null]);
  expect(errors()).toContain(reason);
  expect(errors()).not.toContain('secret');
});
