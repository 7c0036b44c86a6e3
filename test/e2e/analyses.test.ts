import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';
import { exchange, loadTracedMoney, mule, thief, txid } from './traced-money.ts';

let installation: Installation;
beforeAll(async () => {
  installation = await makeInstallation();
  await installation.start();
  await loadTracedMoney(installation);
});
afterAll(() => installation.remove());

async function ask(path: string, body?: object): Promise<any> {
  const answer = await fetch(`${installation.url}${path}`, {
    headers: { authorization: `Bearer ${installation.token('reviewer')}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: answer.status, ...((await answer.json()) as object) };
}

async function scoreOf(place: { chain: string; address: string }): Promise<any> {
  const begun = await ask('/v1/analyses/scores', place);
  return vi.waitFor(
    async () => {
      const now = begun.state === 'running' ? await ask(`/v1/analyses/scores/${begun.task_id}`) : begun;
      expect(now.state).toBe('done');
      return now;
    },
    { timeout: 30_000, interval: 100 },
  );
}

const of = `chain=ethereum&address=${mule}`;

test('an address that no transfer had is scored on demand, with both sides and the way of the money', async () => {
  const score = await scoreOf({ chain: 'ethereum', address: mule });
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
  const score = await scoreOf({ chain: 'bitcoin', address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' });
  expect(score).toMatchObject({ outcome: 'NO_DATA', score: null, risk_level: null });
});

test('it has a report as a PDF, made by the risk service', async () => {
  const answer = await fetch(`${installation.url}/v1/analyses/report?${of}`, {
    headers: { authorization: `Bearer ${installation.token('auditor')}` },
  });
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'application/pdf',
    'private, no-store',
  ]);
  const pdf = Buffer.from(await answer.arrayBuffer());
  expect(pdf.subarray(0, 5).toString()).toBe('%PDF-');
  expect(pdf.length).toBeGreaterThan(10_000);
});
