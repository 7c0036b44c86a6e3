import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Upstream } from '@weir/risk-client/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Installation } from '../support/stack/installation.ts';
import { startWithUpstream, type WithUpstream } from './with-upstream.ts';

const root = join(import.meta.dirname, '..', '..');
let running: WithUpstream;
let upstream: Upstream;
let installation: Installation;
/** The approver is another person than the installer, who holds the other tokens. */
let approver: string;
beforeAll(async () => {
  running = await startWithUpstream();
  ({ upstream, installation } = running);
  approver = await installation.addPerson('approver', 'Ben');
  upstream.answer(() => ({ data: { score: 80, risk_level: 'High' } }));
});
afterAll(() => running.close());

const tokenOf = (role: string): string =>
  role === 'approver' ? approver : installation.token(role === 'own approver' ? 'approver' : role);

interface Answer {
  readonly status: number;
  readonly body: any;
}

async function ask(role: string, method: string, path: string, body?: object): Promise<Answer> {
  const answer = await fetch(`${installation.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${tokenOf(role)}`, 'content-type': 'application/json', prefer: 'wait=20' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: answer.status, body: await answer.json() };
}

let count = 0;
const terms = (n: number) => ({ chain: 'ethereum', coin: 'ETH', to_address: `0xd${n.toString(16).padStart(39, '0')}`, amount: '1.5' });

/** A withdrawal that the default policy holds, as the console knows it. */
async function held(): Promise<{ id: string; review: string; n: number }> {
  const n = ++count; // its own number: several may be asked for at once
  const id = `out-${n}`;
  const { chain: _, ...body } = terms(n);
  const answer = await ask('gate', 'POST', '/v1/withdrawals', { withdrawal_id: id, ...body });
  expect(answer.body).toMatchObject({ status: 'held' });
  const review = `/v1/reviews/${answer.body.screening_id}`;
  await vi.waitFor(async () => expect((await ask('auditor', 'GET', review)).body).toMatchObject({ state: 'open', revision: 1 }), 10_000);
  return { id, review, n };
}
const standing = async (id: string): Promise<any> => (await ask('gate', 'GET', `/v1/withdrawals/${id}`)).body;
const allow = { action: 'allow', reason: 'the receiver is our own' };

const weir = join(root, 'packages', 'cli', 'bin', 'weir.js');
async function run(role: string, ...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const options = { env: { ...process.env, WEIR_TOKEN: tokenOf(role) }, maxBuffer: 10_000_000 };
  const all = [weir, ...args, '--data-dir', installation.dataDir];
  const ended = await promisify(execFile)(process.execPath, all, options).catch((error: unknown) => error);
  const { code = 0, stdout, stderr } = ended as { code?: number; stdout: string; stderr: string };
  return { code, stdout, stderr };
}

test('a held withdrawal that two people allow leaves with a permit, and one that is reopened does not', async () => {
  const { id, review, n } = await held();
  const { resolution_id } = (await ask('reviewer', 'POST', `${review}/resolutions`, allow)).body;
  expect((await ask('reviewer', 'POST', `${review}/approvals`, { resolution_id, approve: true })).status).toBe(403);
  expect(await standing(id)).toMatchObject({ status: 'held' });
  expect((await ask('approver', 'POST', `${review}/approvals`, { resolution_id, approve: true })).status).toBe(200);
  await vi.waitFor(
    async () => expect(await standing(id)).toMatchObject({ status: 'allowed', revision: 2, permit: expect.any(String) }),
    10_000,
  );
  const { permit } = await standing(id);
  await vi.waitFor(async () => {
    const { body } = await ask('auditor', 'GET', review.replace('reviews', 'screenings'));
    expect(body.decisions.at(-1)).toMatchObject({ revision: 2, action: 'allow', reason_codes: ['REVIEWED'], supersedes: 1, resolution_id });
  });

  expect((await ask('reviewer', 'POST', `${review}/reopenings`, { reason: 'it is not' })).status).toBe(201);
  await vi.waitFor(async () => expect(await standing(id)).toMatchObject({ status: 'held', revision: 3 }), 10_000);
  expect((await ask('gate', 'POST', '/v1/permits/redeem', { permit, ...terms(n) })).status).toBe(410);
});

test('set-up makes one person: the tokens of the first start cannot approve each other’s resolutions', async () => {
  const { id, review } = await held();
  for (const [first, second] of [
    ['reviewer', 'own approver'],
    ['own approver', 'own approver'],
  ] as const) {
    const { resolution_id } = (await ask(first, 'POST', `${review}/resolutions`, allow)).body;
    const refused = await ask(second, 'POST', `${review}/approvals`, { resolution_id, approve: true });
    expect(refused).toMatchObject({ status: 403, body: { code: 'SAME_PERSON' } });
    expect(await standing(id)).toMatchObject({ status: 'held' });
    // Another token of the same person changes nothing, whatever the spelling of the name.
    const again = await run('admin', 'keys', 'create', '--role', 'approver', '--person', ' DEV', '--json');
    const answer = await fetch(`${installation.url}${review}/approvals`, {
      method: 'POST',
      headers: { authorization: `Bearer ${JSON.parse(again.stdout).token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ resolution_id, approve: true }),
    });
    expect(answer.status).toBe(403);
    // The second person can answer.
    const answered = { resolution_id, approve: first !== 'reviewer' };
    expect((await ask('approver', 'POST', `${review}/approvals`, answered)).status).toBe(200);
  }
  await vi.waitFor(async () => expect(await standing(id)).toMatchObject({ status: 'allowed' }), 10_000);
});

test('killed while approvals come in: each that was approved is decided, once', async () => {
  const all = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(held));
  const resolved = await Promise.all(
    all.map(async (one) => ({
      ...one,
      resolution_id: (await ask('reviewer', 'POST', `${one.review}/resolutions`, allow)).body.resolution_id,
    })),
  );
  const told: string[] = [];
  const killed = Promise.withResolvers<void>();
  const approve = ({ review, resolution_id }: (typeof resolved)[number]) =>
    ask('approver', 'POST', `${review}/approvals`, { resolution_id, approve: true });
  await Promise.all(
    resolved.map(async (one) => {
      const answer = await approve(one).catch(() => undefined);
      if (answer?.status !== 200) return;
      told.push(one.id);
      if (told.length === 3) void installation.kill('both').then(killed.resolve, killed.reject);
    }),
  );
  await killed.promise;
  await installation.start();
  // Answered ones are complete; the others still need approval.
  for (const id of told) await vi.waitFor(async () => expect(await standing(id)).toMatchObject({ status: 'allowed', revision: 2 }), 20_000);
  for (const one of resolved) expect((await approve(one)).status).toBe(200);
  for (const { id, review } of resolved) {
    await vi.waitFor(async () => expect(await standing(id)).toMatchObject({ status: 'allowed', revision: 2 }), 20_000);
    await vi.waitFor(
      async () => expect((await ask('auditor', 'GET', review)).body).toMatchObject({ revision: 2, resolution: { state: 'applied' } }),
      20_000,
    );
  }
});

test('what a new policy would release is released by two people on the command line, and by no less', async () => {
  const all = [await held(), await held(), await held()];
  const policy = join(installation.dataDir, 'policy.yaml');
  const before = readFileSync(join(root, 'packages', 'domain', 'policy', 'default-policy.yaml'), 'utf8');
  writeFileSync(policy, before.replaceAll('High: review', 'High: allow'));
  const { policy_hash: hash } = JSON.parse((await run('reviewer', 'policy', 'activate', policy, '--json')).stdout);
  expect(await run('reviewer', 'policy', 'approve', hash)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('this takes approver'),
  });
  expect((await run('approver', 'policy', 'approve', hash)).code).toBe(0);
  const file = join(installation.dataDir, 'held.json');
  writeFileSync(file, (await run('admin', 'policy', 'held', '--json')).stdout);
  const reason = ['--action', 'allow', '--reason', 'the policy of today allows it'];
  // Reopened reviews belong to people and are not listed.
  expect(JSON.parse(readFileSync(file, 'utf8'))).toHaveLength(3);

  expect(await run('reviewer', 'reviews', 'resolve', file, ...reason)).toMatchObject({ code: 2, stderr: expect.stringContaining('--yes') });
  expect(await run('auditor', 'reviews', 'resolve', file, ...reason, '--yes')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('may not'),
  });
  expect(await run('reviewer', 'reviews', 'resolve', file, ...reason, '--dry-run')).toMatchObject({
    code: 0,
    stderr: 'Would resolve 3.\n',
  });
  expect(JSON.parse((await run('auditor', 'reviews', 'list', '--state', 'pending_approval', '--json')).stdout)).toEqual([]);
  // Some were resolved before an interruption.
  writeFileSync(`${file}.some`, JSON.stringify(JSON.parse(readFileSync(file, 'utf8')).slice(0, 1)));
  expect((await run('approver', 'reviews', 'resolve', `${file}.some`, ...reason, '--yes')).stderr).toBe('Resolved 1.\n');
  expect((await run('approver', 'reviews', 'resolve', file, ...reason, '--yes')).stderr).toBe('Resolved 2, 1 resolved before.\n');
  // Nobody can approve his own resolutions.
  const own = await run('approver', 'reviews', 'approve', file, '--action', 'allow', '--yes');
  expect(own).toMatchObject({ code: 1, stderr: 'Approved 0, 3 could not be approved.\n', stdout: expect.stringContaining('SAME_PERSON') });

  const other = await installation.addPerson('approver', 'Cleo');
  const piped = `"${process.execPath}" "${weir}" reviews list --state pending_approval --json --data-dir "${installation.dataDir}" |
    "${process.execPath}" "${weir}" reviews approve --action allow --yes --json --data-dir "${installation.dataDir}"`;
  const env = { ...process.env, WEIR_TOKEN: other };
  const { stdout, stderr } = await promisify(execFile)('sh', ['-c', piped], { env });
  expect(stderr).toContain('Approved 3.');
  expect(JSON.parse(stdout).map(({ result }: { result: string }) => result)).toEqual(['done', 'done', 'done']);
  for (const { id } of all)
    await vi.waitFor(async () => expect(await standing(id)).toMatchObject({ status: 'allowed', revision: 2 }), 10_000);
  expect((await run('approver', 'reviews', 'resolve', file, ...reason, '--yes')).stderr).toBe('Resolved 0, 3 resolved before.\n');
  expect((await run('admin', 'policy', 'held', '--json')).stdout.trim()).toBe('[]');
});
