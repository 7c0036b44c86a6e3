import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectToRunning, openPool, type Pool } from '@weir/postgres';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import type { Installation } from '../support/stack/installation.ts';
import { startWithUpstream, type WithUpstream } from './with-upstream.ts';

let running: WithUpstream;
let installation: Installation;
let pool: Pool;
const people = { ann: '', ben: '', cleo: '' };
beforeAll(async () => {
  running = await startWithUpstream({
    WEIR_WEBHOOK_URL: 'http://127.0.0.1:9/hook',
    WEIR_WEBHOOK_SECRETS: `whsec_${Buffer.alloc(32, 7).toString('base64')}`,
    // Nobody listens there, and the deliveries wait.
    WEIR_WEBHOOK_RETRY_DELAYS_S: '3600',
  });
  ({ installation } = running);
  people.ann = await installation.addPerson('reviewer', 'Ann');
  people.ben = await installation.addPerson('approver', 'Ben');
  people.cleo = await installation.addPerson('approver', 'Cleo');
  pool = openPool({ url: connectToRunning(installation.dataDir) ?? expect.fail('the database does not run'), max: 2 });
});
afterAll(async () => {
  await pool.end();
  await running.close();
});

const address = (name: string): string => `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
const user = 'customer-7731';
const own = {
  deposit: 'own-deposit-1',
  second: 'own-deposit-2',
  withdrawal: 'own-withdrawal-1',
  from: address('own'),
  to: address('own receiver'),
};
const secrets = [
  'a word about the case',
  'a word about the hold',
  'why it was resolved',
  'how the case ended',
  'content of a file',
  'statement-of-7731.txt',
  'of the hold-7731.txt',
];
const shared = address('shared');
/** Nothing of it may be found anywhere. */
const erased = [user, own.deposit, own.second, own.withdrawal, own.from, own.to, ...secrets];

async function ask(method: string, path: string, token: string, body?: object): Promise<{ status: number; body: any }> {
  const answer = await fetch(`${installation.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=20' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, body: text.startsWith('{') ? JSON.parse(text) : text };
}
const read = (path: string) => ask('GET', path, installation.token('auditor'));

const deposit = (deposit_id: string, user_id: string, from_address: string) => ({
  deposit_id,
  coin: 'ETH',
  from_address,
  to_address: address('exchange'),
  amount: '1.25',
  usd_value: '3125',
  user_id,
});

async function post(body: { deposit_id: string }): Promise<string> {
  const { status, body: answer } = await ask('POST', '/v1/deposits', installation.token('ingest'), body);
  expect(status).toBe(202);
  await vi.waitFor(async () => expect((await read(`/v1/screenings/${answer.screening_id}`)).body.status).toBe('held'), {
    timeout: 30_000,
    interval: 100,
  });
  return answer.screening_id;
}

/** Two people allow it. */
async function allow(id: string, reason: string): Promise<void> {
  const { body, status } = await ask('POST', `/v1/reviews/${id}/resolutions`, people.ann, { action: 'allow', reason });
  expect(status).toBe(201);
  expect((await ask('POST', `/v1/reviews/${id}/approvals`, people.ben, { resolution_id: body.resolution_id, approve: true })).status).toBe(
    200,
  );
  await vi.waitFor(async () => expect((await read(`/v1/screenings/${id}`)).body.status).toBe('allowed'), {
    timeout: 30_000,
    interval: 100,
  });
}

const caseOf = async (id: string): Promise<string> => {
  const found = await vi.waitFor(async () => (await read(`/v1/reviews/${id}`)).body.case_id ?? expect.fail('no case'), {
    timeout: 30_000,
    interval: 100,
  });
  return found as string;
};
async function close(caseId: string, reason: string): Promise<void> {
  expect((await ask('PUT', `/v1/cases/${caseId}/outcome`, people.ann, { outcome: 'false_positive', reason })).status).toBe(200);
}

/** Each row of each table as text, with the bytes in it as text too. */
async function rows(): Promise<{ table: string; text: string }[]> {
  const { rows: tables } = await pool.query<{ name: string; bytes: string[] }>(
    `SELECT format('%I.%I', n.nspname, c.relname) AS name, array(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.atttypid = 'bytea'::regtype AND NOT a.attisdropped) AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND n.nspname !~ '^(pg_|information_schema)'`,
  );
  const found = [];
  for (const { name, bytes } of tables) {
    const { rows: all } = await pool.query<Record<string, unknown> & { text: string }>(
      `SELECT t::text AS text ${bytes.map((column, n) => `, t.${column} AS b${n}`).join('')} FROM ${name} t`,
    );
    for (const row of all)
      found.push({
        table: name,
        text: [row.text, ...bytes.map((_, n) => (row[`b${n}`] as Buffer | null)?.toString('latin1') ?? '')].join(' '),
      });
  }
  return found;
}
/** The tables that have each word. */
async function where(words: readonly string[]): Promise<Record<string, string[]>> {
  const all = (await rows()).map(({ table, text }) => ({ table, text: text.toLowerCase() }));
  const having = (word: string) => all.filter(({ text }) => text.includes(word.toLowerCase())).map(({ table }) => table);
  return Object.fromEntries(words.map((word) => [word, [...new Set(having(word))].sort()]));
}
const nowhere = Object.fromEntries(erased.map((word) => [word, []]));

const command = (args: readonly string[], token = '', env: NodeJS.ProcessEnv = {}) =>
  weir([...args, '--data-dir', installation.dataDir], { env: { WEIR_TOKEN: token, WEIR_PRIVACY_EARLY_ERASURE: 'true', ...env } });

test('a customer is erased everywhere by two people, and the log verifies and says so', async () => {
  running.upstream.answer((subject) => ({
    data: subject === own.to ? { score: 3, risk_level: 'Low' } : { score: 80, risk_level: 'High' },
  }));
  const first = await post(deposit(own.deposit, user, own.from));
  const second = await post(deposit(own.second, user, shared));
  const other = await post(deposit('other-deposit-1', 'another-2', shared));
  const alone = await post(deposit('other-deposit-2', 'another-3', address('alone')));
  const wanted = { withdrawal_id: own.withdrawal, coin: 'ETH', to_address: own.to, amount: '0.5', usd_value: '1250', user_id: user };
  const { body: allowed } = await ask('POST', '/v1/withdrawals', installation.token('gate'), wanted);
  expect(allowed.status).toBe('allowed');

  const caseId = await caseOf(first);
  const otherCase = await caseOf(alone);
  for (const [path, body] of [
    [`/v1/cases/${caseId}/notes`, { text: `a word about the case of ${user}` }],
    [`/v1/cases/${otherCase}/notes`, { text: 'a word about another' }],
    [`/v1/reviews/${first}/notes`, { text: 'a word about the hold' }],
  ] as const)
    expect((await ask('POST', path, people.ann, body)).status).toBe(201);
  const file = { name: 'statement-of-7731.txt', content_base64: Buffer.from('content of a file').toString('base64') };
  const attached = await ask('POST', `/v1/cases/${caseId}/attachments`, people.ann, file);
  expect(attached.status).toBe(201);
  expect((await ask('POST', `/v1/reviews/${first}/attachments`, people.ann, { ...file, name: 'of the hold-7731.txt' })).status).toBe(201);

  const proposing = ['privacy', 'erase', '--user', user, '--reason', 'request of a customer', '--before-retention-ends'];
  expect(await command(proposing, people.ann)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('waits for a decision or for people'),
  });
  for (const id of [first, second]) await allow(id, 'why it was resolved');
  await allow(other, 'another reason');
  await allow(alone, 'another reason');
  expect(await command(proposing, people.ann)).toMatchObject({ code: 1, stderr: expect.stringContaining('can still be redeemed') });
  const terms = { permit: allowed.permit, chain: 'ethereum', coin: 'ETH', to_address: own.to, amount: '0.5' };
  expect((await ask('POST', '/v1/permits/redeem', installation.token('gate'), terms)).status).toBe(200);
  expect(await command(proposing, people.ann)).toMatchObject({ code: 1, stderr: expect.stringMatching(/case .* is open/) });
  for (const id of [first, second, other]) {
    const open = await caseOf(id);
    if ((await read(`/v1/cases/${open}`)).body.state === 'open') await close(open, open === caseId ? 'how the case ended' : 'another end');
  }
  await close(otherCase, 'another end');

  // The law, and one person alone.
  expect(await command(proposing.slice(0, -1), people.ann)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('must be kept until'),
  });
  const refused = { WEIR_PRIVACY_EARLY_ERASURE: 'false' };
  expect(await command(proposing, people.ann, refused)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('WEIR_PRIVACY_EARLY_ERASURE'),
  });
  expect(await command(proposing)).toMatchObject({ code: 1, stderr: expect.stringContaining('takes two people') });
  const proposed = await command([...proposing, '--json'], people.ben);
  expect(proposed).toMatchObject({ code: 0 });
  const { erasure_id } = JSON.parse(proposed.stdout) as { erasure_id: string };
  const approving = ['privacy', 'approve', erasure_id.slice(0, 8), '--yes', '--json'];
  expect(await command(approving, people.ben)).toMatchObject({ code: 1, stderr: expect.stringContaining('another person must approve') });
  expect(await command(approving, people.ann)).toMatchObject({ code: 1, stderr: expect.stringContaining('this takes approver') });
  for (const [word, tables] of Object.entries(await where(erased))) expect({ word, count: tables.length }).not.toEqual({ word, count: 0 });

  await vi.waitFor(async () => expect((await command(['audit', 'verify'])).stderr).not.toContain('not signed yet'), { timeout: 60_000 });
  const earlier = join(installation.dataDir, 'before.txt');
  copyFileSync(join(installation.dataDir, 'audit-checkpoint'), earlier);
  const othersBefore = (await rows()).filter(({ text }) =>
    /another-3|other-deposit-2|a word about another|another reason|another end/.test(text),
  );
  const shownBefore = (await read(`/v1/screenings/${alone}`)).body;

  const approved = await command(approving, people.cleo);
  expect(approved).toMatchObject({ code: 0 });
  expect(JSON.parse(approved.stdout)).toMatchObject({ erasure_id, screenings: 3 });

  // Nor can a file come after it.
  expect((await ask('POST', `/v1/reviews/${first}/attachments`, people.ann, file)).status).toBe(404);
  expect(await where(erased)).toEqual(nowhere);
  expect((await where([shared]))[shared]?.length).toBeGreaterThan(0);
  const rest = new Set((await rows()).map(({ table, text }) => `${table} ${text}`));
  expect(othersBefore.length).toBeGreaterThan(10);
  expect(othersBefore.filter(({ table, text }) => !rest.has(`${table} ${text}`))).toEqual([]);
  expect((await read(`/v1/screenings/${alone}`)).body).toEqual(shownBefore);

  // What stays, and what is answered.
  expect((await read(`/v1/screenings/${first}`)).body).toMatchObject({
    status: 'allowed',
    erased: true,
    transfer: { deposit_id: '', user_id: null },
  });
  expect((await ask('POST', '/v1/deposits', installation.token('ingest'), deposit(own.deposit, user, own.from))).body).toMatchObject({
    code: 'ERASED',
  });
  expect((await ask('POST', '/v1/withdrawals', installation.token('gate'), wanted)).status).toBe(410);
  expect((await ask('POST', '/v1/permits/redeem', installation.token('gate'), terms)).status).not.toBe(200);
  for (const path of [
    '/v1/screenings',
    '/v1/statistics',
    '/v1/reviews',
    '/v1/cases',
    `/v1/cases/${caseId}`,
    `/v1/reviews/${first}`,
    '/v1/users/another-3',
  ])
    expect({ path, status: (await read(path)).status }).toEqual({ path, status: 200 });
  expect(await where(erased)).toEqual(nowhere);

  // The tree stands, before and after.
  const says =
    /erasure [-0-9a-f]{36}: request "request of a customer", proposed by Ben, approved by Cleo[^]*entries verify, \d+ of them erased by 1 act, 4 decisions follow .*, 5 are erased and cannot be derived again/;
  const verified = await command(['audit', 'verify', '--checkpoint', earlier]);
  expect(verified).toMatchObject({ code: 0, stderr: expect.stringMatching(says) });
  const exported = join(installation.dataDir, 'export.jsonl');
  writeFileSync(exported, (await command(['audit', 'export'])).stdout);
  const key = readFileSync(join(installation.dataDir, 'audit-key.pub'), 'utf8').trim();
  expect(await weir(['audit', 'verify', exported, '--key', key, '--checkpoint', earlier])).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(says),
  });
  for (const word of erased) expect(readFileSync(exported, 'latin1')).not.toContain(word);
  const line =
    readFileSync(exported, 'utf8')
      .split('\n')
      .find((text) => text.includes('"erased_by":"')) ?? '';
  const { event_id } = JSON.parse(line) as { event_id: string };
  const proof = join(installation.dataDir, 'proof.jsonl');
  writeFileSync(proof, (await command(['audit', 'prove', event_id])).stdout);
  expect(await weir(['audit', 'verify', proof, '--key', key])).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('2 entries verify, 1 of them erased by 1 act'),
  });
  writeFileSync(
    proof,
    readFileSync(proof, 'utf8')
      .split('\n')
      .filter((text) => !text.includes('personal_data_erased'))
      .join('\n'),
  );
  expect(await weir(['audit', 'verify', proof, '--key', key])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the log has no such act'),
  });
  expect((await read(`/v1/audit/entries/${event_id}`)).body).toMatchObject({
    key: '',
    value_base64: '',
    salt: '',
    erased_by: expect.any(String),
  });
  expect(await command(['policy', 'replay', '--since', '2020-01-01'])).toMatchObject({ code: 0 });

  // The journal names nobody, and nothing has to be erased again.
  const journal = readFileSync(join(installation.dataDir, 'erasures.jsonl'), 'utf8');
  expect(JSON.parse(journal)).toMatchObject({ erasure_id, screenings: expect.arrayContaining([first, second]) });
  for (const word of erased) expect(journal).not.toContain(word);
  const reconciled = await command(['reconcile', '--dry-run', '--json']);
  expect(JSON.parse(reconciled.stdout).differences).toEqual([]);
  expect(await command(['privacy', 'erase', '--user', user, '--reason', 'again'], people.ann)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there are no transfers'),
  });
}, 600_000);
