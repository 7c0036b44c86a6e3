import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

const weir = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'weir.js');
const account = (text: string): string => `0x${text.padStart(40, '0')}`;
const [thief, mule, exchange] = [account('f1'), account('a1'), account('e1')];
const txid = (n: number): string => `0x${String(n).padStart(64, '0')}`;

let installation: Installation;
beforeAll(async () => {
  installation = await makeInstallation();
  await installation.start();
  const load = async (name: string, lines: readonly string[], ...args: readonly string[]): Promise<void> => {
    const file = join(installation.dataDir, name);
    writeFileSync(file, `${lines.join('\n')}\n`);
    await promisify(execFile)(process.execPath, [weir, ...args, file, '--format', 'csv', '--data-dir', installation.dataDir], {
      env: { ...process.env, WEIR_TOKEN: installation.token('admin') },
    });
  };
  const label = (address: string, name: string, category: string) => `ethereum,${address},${name},${category},2025-01-01,,1,test`;
  await load(
    'labels.csv',
    [
      'chain,address,name,category,valid_from,valid_to,confidence,source',
      label(thief, 'Some Thief', 'theft'),
      label(exchange, 'Some Exchange', 'exchange'),
    ],
    'labels',
    'import',
  );
  const transfer = (n: number, from: string, to: string, amount: number) =>
    `ethereum,${txid(n)},0,${from},${to},ETH,${amount},${amount * 3_000},2026-01-0${n}T00:00:00Z,test`;
  await load(
    'transfers.csv',
    [
      'chain,txid,position,from_address,to_address,coin,amount,usd_value,time,source',
      transfer(1, thief, mule, 10),
      transfer(2, mule, exchange, 9),
    ],
    'transfers',
    'import',
  );
});
afterAll(() => installation.remove());

async function ask(path: string, body?: object): Promise<any> {
  const answer = await fetch(`${installation.url}${path}`, {
    headers: { authorization: `Bearer ${installation.token('reviewer')}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
}
const of = `chain=ethereum&address=${mule}`;

test('an address that no transfer had is scored on demand, with both sides and the way of the money', async () => {
  let score = await ask('/v1/analyses/scores', { chain: 'ethereum', address: mule });
  score = await vi.waitFor(
    async () => {
      const now = score.state === 'running' ? await ask(`/v1/analyses/scores/${score.task_id}`) : score;
      expect(now.state).toBe('done');
      return now;
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(score).toMatchObject({ outcome: 'SCORED', risk_level: 'Severe' });
  expect(score.risk_detail).toContainEqual(
    expect.objectContaining({
      entity: 'Some Thief',
      side: 'in',
      counterparty: thief,
      path: [expect.objectContaining({ txid: txid(1), from: thief, to: mule, usd: 30_000 })],
    }),
  );
});

test('its labels, balance, counterparties and actions are read', async () => {
  expect(await ask(`/v1/analyses/profile?${of}`)).toMatchObject({
    status: 200,
    labels: [],
    overview: { balance: 1, total_received: 10, total_spent: 9, received_txs: 1, spent_txs: 1, first_seen_at: '2026-01-01T00:00:00.000Z' },
    counterparties: expect.arrayContaining([expect.objectContaining({ name: 'Some Exchange', amount: 27_000 })]),
    spent: [expect.objectContaining({ count: 1, percent: 100 })],
  });
  expect((await ask(`/v1/analyses/profile?chain=ethereum&address=${thief}`)).labels).toContain('Some Thief');
});

test('its transfers are listed by side', async () => {
  const { items } = await ask(`/v1/analyses/transfers?${of}`);
  expect(items.map(({ side, address, kind, amount, txids }: any) => [side, address, kind, amount, txids])).toEqual([
    ['in', thief, 'malicious', 10, [txid(1)]],
    ['out', exchange, 'entity', 9, [txid(2)]],
  ]);
  expect((await ask(`/v1/analyses/transfers?${of}&side=out`)).items).toHaveLength(1);
  expect(await ask(`/v1/analyses/transfers?${of}&coin=TRX`)).toMatchObject({ status: 400 });
});

test('its money is traced to where it went, and to where it came from', async () => {
  const forward = await ask(`/v1/analyses/trace?${of}&direction=forward`);
  expect(forward).toMatchObject({ status: 200, direction: 'forward', unit: 'USD' });
  expect(forward.ends).toContainEqual(
    expect.objectContaining({ entity: 'Some Exchange', hops: 1, path: [expect.objectContaining({ txid: txid(2) })] }),
  );
  const backward = await ask(`/v1/analyses/trace?${of}&direction=backward`);
  expect(backward.ends).toContainEqual(expect.objectContaining({ address: thief, path: [expect.objectContaining({ txid: txid(1) })] }));
});

test('an address of which nothing is known has no data, and no level', async () => {
  let score = await ask('/v1/analyses/scores', { chain: 'bitcoin', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' });
  score = await vi.waitFor(
    async () => {
      const now = score.state === 'running' ? await ask(`/v1/analyses/scores/${score.task_id}`) : score;
      expect(now.state).toBe('done');
      return now;
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(score).toMatchObject({ outcome: 'NO_DATA', score: null, risk_level: null });
});
