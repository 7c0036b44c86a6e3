import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startWithUpstream, type WithUpstream } from './with-upstream.ts';

const root = join(import.meta.dirname, '..', '..');
const listed = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';
let running: WithUpstream;
beforeAll(async () => {
  // Within it a busy machine decides even the first withdrawal.
  running = await startWithUpstream({ WEIR_WITHDRAWAL_DEADLINE_MS: '12000' });
  const file = join(running.installation.dataDir, 'list.csv');
  writeFileSync(file, `chain,address,name,category,source\nethereum,${listed},Somebody,sanctions,a list\n`);
  const command = [join(root, 'packages', 'cli', 'bin', 'weir.js'), 'labels', 'import', file, '--format', 'csv'];
  await promisify(execFile)(process.execPath, [...command, '--data-dir', running.installation.dataDir]);
});
afterAll(() => running.close());

let count = 0;
async function withdraw(toAddress: string, wait: number): Promise<any> {
  count += 1;
  const answer = await fetch(`${running.installation.url}/v1/withdrawals`, {
    method: 'POST',
    headers: { authorization: `Bearer ${running.installation.token('gate')}`, 'content-type': 'application/json', prefer: `wait=${wait}` },
    body: JSON.stringify({ withdrawal_id: `out-${count}`, coin: 'ETH', to_address: toAddress, amount: '1.5', usd_value: '10' }),
  });
  return answer.json();
}
async function decisions(id: string): Promise<{ revision: number; action: string; reason_codes: string[] }[]> {
  const answer = await fetch(`${running.installation.url}/v1/screenings/${id}`, {
    headers: { authorization: `Bearer ${running.installation.token('auditor')}` },
  });
  return answer.ok ? ((await answer.json()) as { decisions: [] }).decisions : [];
}

test('with the risk API away a withdrawal to a listed address is blocked, and stays so whatever the API says later; another is held', async () => {
  const { upstream, installation } = running;
  // The first withdrawal is warm-up.
  expect(await withdraw(`0x${'1'.repeat(40)}`, 60)).toMatchObject({ status: 'allowed' });
  await upstream.away();
  const begun = performance.now();
  const blocked = await withdraw('0x098B716B8Aaf21512996dC57EB0615e2383E2f96', 60);
  const tookMs = performance.now() - begun;
  expect(blocked).toMatchObject({ status: 'blocked', revision: 1 });
  // The risk API is down, so the local list has blocked it.
  process.stdout.write(`blocked after ${tookMs.toFixed(0)} ms\n`);
  const held = await withdraw(`0x${'2'.repeat(40)}`, 60);
  expect(held).toMatchObject({ status: 'held' });
  await installation.kill('both');
  await upstream.back();
  await installation.start();
  await vi.waitFor(
    async () =>
      expect(await decisions(blocked.screening_id)).toMatchObject([
        { revision: 1, action: 'block', reason_codes: ['LOCAL_SANCTIONS_MATCH'] },
        { revision: 2, action: 'block', reason_codes: ['LOCAL_SANCTIONS_MATCH', 'LEVEL_LOW'] },
      ]),
    { timeout: 60_000, interval: 200 },
  );
  await vi.waitFor(async () => expect((await decisions(held.screening_id)).map(({ action }) => action)).toEqual(['review', 'allow']), {
    timeout: 60_000,
    interval: 200,
  });
});
