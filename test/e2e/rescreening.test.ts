import { randomBytes } from 'node:crypto';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

const weir = join(import.meta.dirname, '..', '..', 'packages', 'cli', 'bin', 'weir.js');
const within = { timeout: 60_000, interval: 250 };
const subjects = 20;
const address = (what: string, n = 0): string => `0x${what}${n.toString(16).padStart(40 - what.length, '0')}`;

// Flows: origin → middle → sender 0 … 19. Other addresses get funds from elsewhere, or from a service that middle pays, where tracing
// stops.
const [origin, middle, service, elsewhere] = ['a1', 'a2', 'a3', 'a4'].map((what) => address(what)) as [string, string, string, string];
const sender = (n: number): string => address('bb', n);
const stranger = (n: number): string => address('cc', n);
const customer = (n: number): string => address('dd', n);

let installation: Installation;
beforeAll(async () => {
  installation = await makeInstallation({
    env: { WEIR_UPSTREAM_PER_SECOND: '10', WEIR_PERMIT_KEY_SECRET: randomBytes(24).toString('hex') },
  });
  await installation.start();
  const paid = (from: string, to: string, usd = 1_000): string => `ethereum,${from},${to},ETH,1,${usd},2026-01-01T00:00:00Z,test`;
  const numbers = Array.from({ length: subjects }, (_, n) => n);
  await bring('transfers', 'chain,from_address,to_address,coin,amount,usd_value,time,source', [
    // All that middle pays: a wallet passes on no more than it received.
    paid(origin, middle, 1_000 * (subjects + 1)),
    paid(middle, service),
    paid(address('a5'), elsewhere),
    ...numbers.map((n) => paid(middle, sender(n))),
    ...numbers.map((n) => paid(elsewhere, stranger(n))),
    ...numbers.map((n) => paid(service, customer(n))),
  ]);
  await label(service, { category: 'exchange' });
});
afterAll(() => installation.remove());

async function run(role: string, ...args: string[]): Promise<string> {
  const env = { ...process.env, WEIR_TOKEN: installation.token(role) };
  const { stdout } = await promisify(execFile)(process.execPath, [weir, ...args, '--data-dir', installation.dataDir], {
    env,
    maxBuffer: 100_000_000,
  });
  return stdout;
}

let files = 0;
async function bring(what: 'labels' | 'transfers', header: string, rows: readonly string[]): Promise<void> {
  files += 1;
  const file = join(installation.dataDir, `${what}-${files}.csv`);
  writeFileSync(file, `${[header, ...rows].join('\n')}\n`);
  await run('admin', what, 'import', file, '--format', 'csv');
}
const label = (of: string, { category = 'sanctioned', valid_to = '' } = {}): Promise<void> =>
  bring('labels', 'chain,address,name,category,valid_from,valid_to,confidence,source', [
    `ethereum,${of},Somebody,${category},2025-01-01,${valid_to},1,test ${category}`,
  ]);

async function ask(role: string, method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
  return askWith(installation.token(role), method, path, body);
}

async function askWith(token: string, method: string, path: string, body?: object): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${installation.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=20' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

let count = 0;
/** Posts a deposit from this address; resolves with its screening's id. */
async function deposit(from: string): Promise<string> {
  count += 1;
  const body = { deposit_id: `in-${count}`, coin: 'ETH', from_address: from, to_address: address('ee'), amount: '1', usd_value: '50' };
  const answer = await ask('ingest', 'POST', '/v1/deposits', body);
  expect(answer.status).toBe(202);
  return answer.body.screening_id;
}
/** Actions by revision. */
async function actions(id: string): Promise<string[]> {
  const { status, body } = await ask('auditor', 'GET', `/v1/screenings/${id}`);
  return status === 200 ? body.decisions.map(({ action }: { action: string }) => action) : [];
}
const become = (ids: readonly string[], expected: readonly string[]): Promise<void> =>
  vi.waitFor(async () => expect(await Promise.all(ids.map(actions))).toEqual(ids.map(() => expected)), within);
const review = async (id: string): Promise<any> => (await ask('auditor', 'GET', `/v1/reviews/${id}`)).body;

/** Requests per screening in the audit log, from this attempt on. */
async function attempts(from = 2): Promise<Map<string, number>> {
  const lines = (await run('auditor', 'audit', 'export')).split('\n').filter((line) => line !== '');
  const exported = lines.map(
    (line) => JSON.parse(line) as { topic?: string; screening_id: string; data: { attempt: number }; conflicts_with: string | null },
  );
  // The last line is the signed checkpoint.
  const entries = exported.filter(({ topic }) => topic !== undefined);
  expect(entries.filter(({ conflicts_with }) => conflicts_with !== null)).toEqual([]);
  const again = new Map<string, number>();
  for (const { topic, screening_id, data } of entries)
    if (topic === 'screenings.requested' && data.attempt >= from) again.set(screening_id, (again.get(screening_id) ?? 0) + 1);
  return again;
}

test('a label two hops away screens exactly the affected transfers again, each once, also when Weir is killed; delisting releases them', async () => {
  const numbers = Array.from({ length: subjects }, (_, n) => n);
  const affected = (await Promise.all(numbers.flatMap((n) => [deposit(sender(n)), deposit(sender(n))]))).sort();
  const others = await Promise.all(numbers.flatMap((n) => [deposit(stranger(n)), deposit(customer(n))]));
  await become([...affected, ...others], ['allow']);
  // An issued permit.
  const terms = { chain: 'ethereum', coin: 'ETH', to_address: sender(0), amount: '1.5' };
  const { body: out } = await ask('gate', 'POST', '/v1/withdrawals', {
    withdrawal_id: 'out-1',
    coin: 'ETH',
    to_address: sender(0),
    amount: '1.5',
  });
  expect(out).toMatchObject({ status: 'allowed', permit: expect.any(String) });

  await label(origin);
  const rescreened = async (): Promise<number> => {
    const metrics = await (await fetch(`${installation.url}/metrics`)).text();
    return Number(/^weir_rescreens_total\{kind="deposit"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
  };
  await vi.waitFor(async () => expect(await rescreened()).toBeGreaterThan(0), { ...within, interval: 20 });
  await installation.kill('both');
  await installation.start();
  await become(affected, ['allow', 'review']);
  await vi.waitFor(
    async () => expect((await ask('gate', 'GET', '/v1/withdrawals/out-1')).body).toMatchObject({ status: 'held', revision: 2 }),
    within,
  );
  expect((await ask('gate', 'POST', '/v1/permits/redeem', { permit: out.permit, ...terms })).status).toBe(410);
  const again = await attempts();
  process.stdout.write(
    `${again.size} of ${affected.length + others.length + 1} transfers were screened again, ${affected.length} deposits and one withdrawal are affected\n`,
  );
  expect(again).toEqual(new Map([...affected, out.screening_id].map((id) => [id, 1])));
  expect(await review(affected[0] ?? '')).toMatchObject({
    state: 'open',
    adverse_update: true,
    reason_codes: ['LEVEL_HIGH', 'ILLICIT_VALUE'],
  });

  await label(origin, { valid_to: '2026-01-01' });
  await become(affected, ['allow', 'review', 'allow']);
  await become(others, ['allow']);
  expect(await attempts(3)).toEqual(new Map([...affected, out.screening_id].map((id) => [id, 1])));
  await vi.waitFor(
    async () =>
      expect((await ask('gate', 'GET', '/v1/withdrawals/out-1')).body).toMatchObject({
        status: 'allowed',
        revision: 3,
        permit: expect.any(String),
      }),
    within,
  );
}, 300_000);

test('an allowed deposit whose sender turns out a thief is an open review; two people may allow it, and from then on nothing else does', async () => {
  const thief = stranger(0);
  const [first, second] = [await deposit(thief), await deposit(thief)] as const;
  await become([first, second], ['allow']);
  await label(thief, { category: 'theft' });
  await become([first, second], ['allow', 'block']);
  expect(await review(first)).toMatchObject({ state: 'open', action: 'block', adverse_update: true, reason_codes: ['LEVEL_SEVERE'] });
  expect(await run('reviewer', 'reviews', 'list', '--state', 'open')).toMatch(new RegExp(`^${first}/2 .*adverse update`, 'm'));

  const path = `/v1/reviews/${first}`;
  const { body: resolution } = await ask('reviewer', 'POST', `${path}/resolutions`, { action: 'allow', reason: 'it was given back' });
  expect(resolution.state).toBe('pending_approval');
  const approver = await installation.addPerson('approver', 'Ben');
  const approval = { resolution_id: resolution.resolution_id, approve: true };
  expect((await askWith(approver, 'POST', `${path}/approvals`, approval)).status).toBe(200);
  await become([first], ['allow', 'block', 'allow']);
  await vi.waitFor(async () => expect(await review(first)).toMatchObject({ state: 'resolved', adverse_update: false }), within);

  // A label adds a local match.
  await label(thief);
  await vi.waitFor(async () => expect((await review(second)).reason_codes).toEqual(['LOCAL_SANCTIONS_MATCH', 'LEVEL_SEVERE']), within);
  expect(new Set((await actions(second)).slice(1))).toEqual(new Set(['block']));
  await vi.waitFor(
    async () => expect(await review(first)).toMatchObject({ state: 'open', action: 'allow', adverse_update: true, late_result: true }),
    within,
  );
  expect(await actions(first)).toEqual(['allow', 'block', 'allow']);
  await label(thief, { valid_to: '2026-01-01' });
  await label(thief, { category: 'theft', valid_to: '2026-01-01' });
  await vi.waitFor(async () => expect((await actions(second)).at(-1)).toBe('allow'), within);
  expect(await actions(first)).toEqual(['allow', 'block', 'allow']);
}, 300_000);

test('a deposit from an address that was screened clean and then paid with stolen money is not allowed on the old result', async () => {
  const [thief, clean] = [address('f1'), address('f2')];
  await label(thief, { category: 'theft' });
  await bring('transfers', 'chain,from_address,to_address,coin,amount,usd_value,time,source', [
    `ethereum,${elsewhere},${clean},ETH,1,1000,2026-01-01T00:00:00Z,test`,
  ]);
  await become([await deposit(clean)], ['allow']);
  await bring('transfers', 'chain,from_address,to_address,coin,amount,usd_value,time,source', [
    `ethereum,${thief},${clean},ETH,500,1500000,2026-01-02T00:00:00Z,test`,
  ]);
  // Until scoring reads the transfer, it may reuse the old result, which is then screened again.
  const next = await deposit(clean);
  await vi.waitFor(async () => expect((await actions(next)).at(-1)).toMatch(/^(review|block)$/), within);
  const { body } = await ask('auditor', 'GET', `/v1/screenings/${next}`);
  expect(body.result).toMatchObject({ outcome: 'SCORED', reused: false });
  expect(body.result.risk_level).toMatch(/^(High|Severe)$/);
}, 300_000);
