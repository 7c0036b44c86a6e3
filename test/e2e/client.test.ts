import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type DecisionEvent, type StreamEvent, WebhookVerifier, type WebhookVerification, WeirClient } from '@weir/client';
import { remoteKeys, verifyPermit } from '@weir/permit';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type LossyProxy, listen, startLossyProxy } from '../support/lossy-proxy.ts';
import { startWithUpstream, type WithUpstream } from './with-upstream.ts';

const secret = `whsec_${randomBytes(32).toString('base64')}`;
const verifier = new WebhookVerifier({ secrets: [secret] });
const webhooks: WebhookVerification[] = [];
const receiver = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    webhooks.push(verifier.verify({ headers: request.headers, body: Buffer.concat(pieces) }));
    response.writeHead(204).end();
  });
});

let running: WithUpstream;
let proxy: LossyProxy;
beforeAll(async () => {
  const url = await listen(receiver);
  running = await startWithUpstream({ WEIR_WEBHOOK_URL: url, WEIR_WEBHOOK_SECRETS: secret });
  proxy = await startLossyProxy(running.installation.url);
});
afterAll(async () => {
  await proxy.close();
  await running.close();
  receiver.close();
});

type Role = 'ingest' | 'gate' | 'reviewer' | 'auditor' | 'admin';
const clientOf = (role: Role, baseUrl = running.installation.url): WeirClient =>
  new WeirClient({ baseUrl, token: running.installation.token(role), retry: { firstMs: 10 } });

let count = 0;
const address = (): string => `0xe${(++count).toString(16).padStart(39, '0')}`;
const withdrawalOf = (withdrawal_id: string) => ({ withdrawal_id, coin: 'ETH', to_address: address(), amount: '1.5' });
const depositOf = (deposit_id: string) => ({ deposit_id, coin: 'ETH', from_address: address(), to_address: address(), amount: '1' });
const waitMs = 30_000;

test('a withdrawal is allowed, its permit verified and redeemed, though every first answer is lost', async () => {
  const gate = clientOf('gate', proxy.url);
  const wanted = withdrawalOf('lossy-1');
  proxy.loseFirstOf((path) => path);
  const { status, permit = '', reason_codes } = await gate.requestWithdrawal(wanted, { waitMs });
  expect([status, reason_codes]).toEqual(['allowed', ['LEVEL_LOW']]);
  const terms = { chain: 'ethereum', coin: 'ETH', to_address: wanted.to_address, amount: '1.50' };
  const keys = remoteKeys(gate.permitKeysUrl.replace(proxy.url, running.installation.url));
  const expected = { withdrawal_id: wanted.withdrawal_id, ...terms };
  expect(await verifyPermit(permit, { keys, issuer: 'weir', expected, now: Date.now() })).toMatchObject({ ok: true });
  const redemption = await gate.redeemPermit({ permit, ...terms });
  expect(redemption).toMatchObject({ isRepeat: true });
  expect(proxy.lost()).toBe(2);
  const { isRepeat: _, ...redeemed } = redemption;
  expect((await gate.getWithdrawal(wanted.withdrawal_id)).redeemed).toEqual(redeemed);
  await expect(gate.redeemPermit({ permit, ...terms })).rejects.toMatchObject({ code: 'REDEEMED_BEFORE', status: 409 });
});

test('a deposit whose answer is lost is screened once', async () => {
  const before = running.upstream.creates.length;
  proxy.loseFirstOf((path) => path);
  const deposit = depositOf('lossy-2');
  const { screening_id } = await clientOf('ingest', proxy.url).postDeposit(deposit);
  expect(proxy.lost()).toBe(1);
  const auditor = clientOf('auditor');
  const screening = await vi.waitFor(
    async () => {
      const found = await auditor.call('get_screening', { path: { screening_id } });
      expect(found.status).toBe('allowed');
      return found;
    },
    { timeout: 30_000, interval: 100 },
  );
  expect(screening.transfer.usd_value).toBeNull();
  expect(running.upstream.creates.length - before).toBe(1);
  const other = { ...deposit, amount: '2' };
  await expect(clientOf('ingest').postDeposit(other)).rejects.toMatchObject({ code: 'CONFLICTING_CONTENT', status: 409 });
});

test('problems are typed: every wrong field, the role, the unknown', async () => {
  const errors = [
    { field: 'deposit_id', detail: 'deposit_id is required' },
    { field: 'amount', detail: 'amount is required' },
  ];
  const { deposit_id: _, amount: __, ...half } = depositOf('half');
  const given = { code: 'MALFORMED', status: 400, retriable: false, problem: { errors } };
  await expect(clientOf('ingest').postDeposit(half as never)).rejects.toMatchObject(given);
  await expect(clientOf('gate').postDeposit(depositOf('role'))).rejects.toMatchObject({ code: 'FORBIDDEN', status: 403 });
  await expect(clientOf('gate').getWithdrawal('nobody')).rejects.toMatchObject({ code: 'NOT_FOUND', status: 404 });
  const impossible = { ...withdrawalOf('impossible'), coin: 'USDT' };
  const hint = { code: 'UNSUPPORTED_COIN', status: 422, problem: { field: 'coin', hint: 'USDT-ERC20 or USDT-TRC20?' } };
  await expect(clientOf('gate').requestWithdrawal(impossible)).rejects.toMatchObject(hint);
  const anybody = new WeirClient({ baseUrl: running.installation.url, token: '' });
  await expect(anybody.getWithdrawal('x')).rejects.toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
});

test('every decision comes as an event, also over cut connections, and as a signed webhook', async () => {
  const stop = new AbortController();
  const events: StreamEvent<DecisionEvent>[] = [];
  proxy.loseFirstOf(() => undefined);
  const reading = (async () => {
    for await (const event of clientOf('auditor', proxy.url).events({ kind: 'deposit', signal: stop.signal })) events.push(event);
  })();
  await vi.waitFor(() => expect(proxy.streams()).toBe(1), { timeout: 30_000 });
  const ids: string[] = [];
  for (let n = 0; n < 12; n++) {
    ids.push((await clientOf('ingest').postDeposit(depositOf(`event-${n}`))).screening_id);
    if (n % 4 === 3) proxy.cutStreams();
  }
  const seen = (): string[] => [...new Set(events.map(({ data }) => data.screening_id))].toSorted();
  await vi.waitFor(() => expect(seen()).toEqual(ids.toSorted()), { timeout: 60_000, interval: 100 });
  const posted = (): unknown[] => webhooks.flatMap((one) => (one.ok ? [one.event.data.source_id] : []));
  await vi.waitFor(() => expect(posted()).toEqual(expect.arrayContaining(ids.map((_, n) => `event-${n}`))), { timeout: 60_000 });
  expect(webhooks.filter(({ ok }) => !ok)).toEqual([]);
  const [first] = events;
  expect(webhooks).toContainEqual(
    expect.objectContaining({ event: { type: first?.type, timestamp: first?.timestamp, data: first?.data } }),
  );
  stop.abort();
  await reading;
});

test('lists are read to their end', async () => {
  const read = async (): Promise<string[]> => {
    const listed: string[] = [];
    for await (const { transfer } of clientOf('auditor').all('list_screenings', { kind: 'deposit', limit: 5 }))
      listed.push(transfer.deposit_id ?? '');
    return listed;
  };
  const all = Array.from({ length: 12 }, (_, n) => `event-${n}`);
  // The console shows a screening a moment after its decision was published.
  const listed = await vi.waitFor(
    async () => {
      const found = await read();
      expect(found).toEqual(expect.arrayContaining(all));
      return found;
    },
    { timeout: 20_000, interval: 100 },
  );
  expect(new Set(listed).size).toBe(listed.length);
});

test('the example of the README runs', async () => {
  const root = join(import.meta.dirname, '..', '..');
  const readme = readFileSync(join(root, 'packages', 'sdk', 'client', 'README.md'), 'utf8');
  const [, program = ''] = /^```js\n(.*?)^```/ms.exec(readme) ?? [];
  // Below node_modules the packages are found.
  const folder = join(root, 'node_modules', '.cache', `weir-readme-${process.pid}`);
  mkdirSync(folder, { recursive: true });
  try {
    writeFileSync(join(folder, 'example.mjs'), program);
    const env = { ...process.env, WEIR_URL: running.installation.url, WEIR_TOKEN: running.installation.token('gate') };
    const run = (id: string) => promisify(execFile)(process.execPath, [join(folder, 'example.mjs'), id], { env });
    expect((await run('readme-1')).stdout).toBe('allowed LEVEL_LOW\nredeemed: sign and send\n');
    expect((await run('readme-1')).stdout).toBe('allowed LEVEL_LOW\n');
    expect((await run('')).stdout).toMatch(/^MALFORMED \[\s+\{\s+field: 'withdrawal_id',\s+detail: '[^']+'\s+\}\s+\]\n$/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
