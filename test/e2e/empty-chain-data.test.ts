import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

/** On the US sanctions list, which is not imported here. */
const listed = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const bin = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'weir.js');

let installation: Installation;
beforeAll(async () => {
  installation = await makeInstallation();
  await installation.start();
});
afterAll(() => installation.remove());

async function withdraw(id: string, over: object = {}): Promise<{ status: string; permit?: string }> {
  const answer = await fetch(`${installation.url}/v1/withdrawals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${installation.token('gate')}`, 'content-type': 'application/json', prefer: 'wait=60' },
    body: JSON.stringify({ withdrawal_id: id, coin: 'ETH', to_address: listed, amount: '1500', ...over }),
  });
  return (await answer.json()) as { status: string; permit?: string };
}

const warnings = async (url: string): Promise<string[]> => {
  const answer = await fetch(`${url}/readyz`);
  expect(answer.status).toBe(200);
  return ((await answer.json()) as { warnings?: string[] }).warnings ?? [];
};

interface Report {
  readonly ok: boolean;
  readonly checks: readonly { check: string; state: string; detail: string }[];
}

async function doctor(): Promise<Report> {
  const env = { ...process.env, WEIR_PORT: new URL(installation.url).port };
  const args = [bin, 'doctor', '--json', '--data-dir', installation.dataDir];
  const run = promisify(execFile)(process.execPath, args, { env });
  return JSON.parse(
    await run.then(
      ({ stdout }) => stdout,
      (error: { stdout: string }) => error.stdout,
    ),
  ) as Report;
}

test('with an empty risk base a withdrawal to a sanctioned address is held, and readiness and doctor say that nothing is known', async () => {
  const answer = await withdraw('out-1');
  expect(answer).toMatchObject({ status: 'held' });
  expect(answer).not.toHaveProperty('permit');
  expect(await withdraw('out-2', { amount: '0.0001', usd_value: '0.25' })).toMatchObject({ status: 'held' });
  expect(await warnings(installation.riskUrl)).toEqual([expect.stringContaining('chain data is empty')]);
  await vi.waitFor(
    async () => expect(await warnings(installation.url)).toEqual([expect.stringContaining('the risk API warns: chain data is empty')]),
    { timeout: 30_000, interval: 200 },
  );
  const { ok, checks } = await doctor();
  expect(ok).toBe(false);
  expect(checks).toContainEqual({ check: 'chain data', state: 'wrong', detail: expect.stringContaining('empty') as string });
});

test('once labels and transfers are there, the warnings end and the address is blocked', async () => {
  const labels = join(installation.dataDir, 'labels.csv');
  const transfers = join(installation.dataDir, 'transfers.csv');
  writeFileSync(labels, `chain,address,name,category,source\nethereum,${listed},Somebody,sanctioned,a list\n`);
  const other = '0x28C6c06298d514Db089934071355E5743bf21d60';
  const hash = `0x${'1'.repeat(64)}`;
  writeFileSync(
    transfers,
    `chain,txid,from_address,to_address,coin,amount,time\nethereum,${hash},${listed},${other},ETH,1,${new Date().toISOString()}\n`,
  );
  for (const [kind, file] of [
    ['labels', labels],
    ['transfers', transfers],
  ] as const)
    await promisify(execFile)(process.execPath, [bin, kind, 'import', file, '--format', 'csv', '--data-dir', installation.dataDir]);
  expect(await warnings(installation.riskUrl)).toEqual([]);
  await vi.waitFor(async () => expect(await warnings(installation.url)).toEqual([]), { timeout: 30_000, interval: 200 });
  expect((await doctor()).checks).toContainEqual({
    check: 'chain data',
    state: 'ok',
    detail: expect.stringMatching(/^ethereum: 1 label \(imported .* ago\), 1 transfer \(newest .* ago\)$/) as string,
  });
  expect(await withdraw('out-3')).toMatchObject({ status: 'blocked' });
});
