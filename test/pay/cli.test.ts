import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { startWeir, weir } from '../../packages/cli/src/testing/weir.ts';
import type { PayServer } from './server.ts';
import { evmNetwork, known, makeWorld, networks, plain, solanaNetwork, type World } from './world.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-pay-cli-'));
const usdc = 1_000_000n;
let world: World;
let server: PayServer;
beforeAll(async () => {
  world = await makeWorld();
  server = await world.server();
});
afterEach(() => world.facilitator.clear());
afterAll(async () => {
  await world?.close();
  rmSync(folder, { recursive: true, force: true });
});

const one = ['screen', 'ETH', known, '--pay', '--max-usdc', '1', '--json'];
const options = (key?: string) => ({
  env: {
    WEIR_PAY_URL: server.url,
    WEIR_PAY_SOLANA_RPC_URL: world.solana.url,
    WEIR_DATA_DIR: mkdtempSync(join(folder, 'data-')),
    ...(key !== undefined && { WEIR_PAY_KEY: key }),
  },
});

describe.each(networks)('with a wallet on %s', (network) => {
  test('one target is paid, and what was spent is said', async () => {
    const payer = await world.payer(network, 3n * usdc);
    const { code, stdout, stderr } = await weir(one, options(payer.key));
    expect(stderr).toBe('spent 1 USDC.\n');
    expect(code).toBe(0);
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({ outcome: 'SCORED', payment: { network, amount_usdc: '1', state: 'settled' } });
    expect((await world.ledger()).at(-1)).toMatchObject({ payment_identifier: shown.payment.id, transaction: shown.payment.transaction });
    expect(await payer.balance()).toBe(2n * usdc);
    expect(stdout + stderr).not.toContain(payer.key);
  });
});

test('the key comes from a file too; a wrong one is told without being shown', async () => {
  const payer = await world.payer(solanaNetwork, usdc);
  const file = join(folder, 'wallet.json');
  writeFileSync(file, payer.key);
  expect((await weir([...one, '--pay-key-file', file], options())).code).toBe(0);
  expect(await payer.balance()).toBe(0n);
  const wrong = await weir(one, options('0x1234'));
  expect([wrong.code, wrong.stderr.includes('0x1234')]).toEqual([2, false]);
  expect(wrong.stderr.trimEnd().split('\n')).toEqual([expect.any(String), "Run 'weir screen --help' for usage."]);
});

test('without a cap, without a key, or with flags that pay without --pay, nothing is asked', async () => {
  const payer = await world.payer(evmNetwork, usdc);
  const wrong: [string[], string?][] = [
    [['screen', 'ETH', known, '--pay'], payer.key],
    [one],
    [['screen', 'ETH', known, '--max-usdc', '1'], payer.key],
    [['screen', 'ETH', known, '--pay', '--max-usdc', '1.0000001'], payer.key],
  ];
  const ended = await Promise.all(wrong.map(([args, key]) => weir(args, options(key))));
  expect(ended.map(({ code }) => code)).toEqual([2, 2, 2, 2]);
  expect(await payer.balance()).toBe(usdc);
});

test('the cap holds', async () => {
  const payer = await world.payer(evmNetwork, 5n * usdc);
  const { code, stderr } = await weir(['screen', 'ETH', known, '--pay', '--max-usdc', '0.999999'], options(payer.key));
  expect([code, stderr.includes('--max-usdc is reached')]).toEqual([1, true]);
  expect(await payer.balance()).toBe(5n * usdc);
});

describe('a file', () => {
  const rows = [known, plain, known, `0x${'67'.padStart(40, '0')}`, `0x${'68'.padStart(40, '0')}`];
  const write = (name: string): { file: string; out: string } => {
    const file = join(folder, `${name}.csv`);
    writeFileSync(file, ['coin,address', ...rows.map((address) => `ETH,${address}`)].join('\n'));
    return { file, out: join(folder, `${name}.out.csv`) };
  };
  const lines = (out: string): number => readFileSync(out, 'utf8').trim().split('\n').length - 1;

  test('is paid row by row up to the cap; with --resume the rest is paid, and no row twice', async () => {
    const payer = await world.payer(evmNetwork, 20n * usdc);
    const { file, out } = write('capped');
    const args = ['screen', file, '--out', out, '--pay', '--max-usdc'];
    const first = await weir([...args, '3'], options(payer.key));
    expect([first.code, first.stderr.includes('spent 3 USDC.'), lines(out)]).toEqual([1, true, 3]);
    expect(await payer.balance()).toBe(17n * usdc);
    const second = await weir([...args, '10', '--resume'], options(payer.key));
    expect([second.code, second.stderr.includes('spent 2 USDC.'), lines(out)]).toEqual([0, true, rows.length]);
    const third = await weir([...args, '10', '--resume'], options(payer.key));
    expect([third.code, third.stderr.includes('spent 0 USDC.')]).toEqual([0, true]);
    expect(await payer.balance()).toBe(15n * usdc);
    // Signed payments must stay private.
    expect(statSync(`${out}.payments`).mode & 0o077).toBe(0);
  });

  test.each(networks)('whose run is killed while a payment on %s is settled pays no row twice', async (network) => {
    const payer = await world.payer(network, 20n * usdc);
    const { file, out } = write(`killed-${network.replace(/\W/g, '-')}`);
    const args = ['screen', file, '--out', out, '--pay', '--max-usdc', '10'];
    const held = world.facilitator.hold('settle', 'before');
    const run = startWeir(args, options(payer.key));
    await held.reached;
    const settled = async () =>
      (await world.ledger()).filter((row) => row.payer.toLowerCase() === payer.address.toLowerCase() && row.state === 'settled');
    // Other rows are paid and answered by then. Results are written in file order, so some are not written yet.
    await expect.poll(async () => (await settled()).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    await run.end('SIGKILL');
    held.release();
    const { code } = await weir([...args, '--resume'], options(payer.key));
    expect([code, lines(out)]).toEqual([0, rows.length]);
    expect(await settled()).toHaveLength(rows.length);
    expect(await payer.balance()).toBe(15n * usdc);
  });
});
