import { createHash, randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { type ActivityRecorded, Codec, topicSchemas, topics } from '@weir/contracts';
import { connectToRunning, openPool, type Pool } from '@weir/postgres';
import { activityActions, createLogger, openPipeline } from '@weir/service-kit';
import { publishTo } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { weir } from '../../packages/cli/src/testing/weir.ts';
import type { Installation } from '../support/stack/installation.ts';
import { type ExportedRecord, undescribed } from './described-topics.ts';
import { startWithUpstream, type WithUpstream } from './with-upstream.ts';

/** The drill of restores reads this one: test/restore. */
const elsewhere: readonly string[] = ['database_restored'];

let running: WithUpstream;
let installation: Installation;
let receiver: Server;
let pool: Pool;
let ann = '';
let ben = '';

beforeAll(async () => {
  receiver = createServer((request, response) => void request.resume().once('end', () => response.writeHead(204).end())).listen(
    0,
    '127.0.0.1',
  );
  await new Promise<void>((resolve) => void receiver.once('listening', resolve));
  running = await startWithUpstream({
    WEIR_WEBHOOK_URL: `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/`,
    WEIR_WEBHOOK_SECRETS: `whsec_${randomBytes(32).toString('base64')}`,
    WEIR_PRIVACY_EARLY_ERASURE: 'true',
  });
  ({ installation } = running);
  ann = await installation.addPerson('reviewer', 'Ann');
  ben = await installation.addPerson('approver', 'Ben');
  pool = openPool({ url: connectToRunning(installation.dataDir) ?? expect.fail('the database does not run'), max: 2 });
  running.upstream.answer(() => ({ data: { score: 80, risk_level: 'High' } }));
});
afterAll(async () => {
  await pool.end();
  await running.close();
  receiver.close();
});

const address = (name: string): string => `0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`;
const within = { timeout: 60_000, interval: 100 };

async function ask(token: string, method: string, path: string, body?: object): Promise<any> {
  const answer = await fetch(`${installation.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', prefer: 'wait=20' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const answered = (await answer.json()) as object;
  expect({ path, status: answer.status, answered }).toMatchObject({ status: expect.toSatisfy((status: number) => status < 300) });
  return answered;
}

async function command(...args: readonly string[]): Promise<string> {
  const env = { WEIR_TOKEN: args[0] === 'privacy' && args[1] === 'approve' ? ben : ann, WEIR_PRIVACY_EARLY_ERASURE: 'true' };
  const { code, stdout, stderr } = await weir([...args, '--data-dir', installation.dataDir], { env });
  expect({ args, code, said: code === 0 ? '' : stderr }).toEqual({ args, code: 0, said: '' });
  return stdout;
}

/** Every record of the audit log. */
async function audited(): Promise<ExportedRecord[]> {
  const lines = (await command('audit', 'export', '--format', 'jsonl')).trim().split('\n');
  return lines.map((line) => JSON.parse(line) as ExportedRecord).filter(({ topic }) => topic !== undefined);
}

async function actsIn(records: readonly ExportedRecord[]): Promise<ActivityRecorded[]> {
  let ids = 0;
  const codec = await Codec.open({ register: async () => ++ids, find: async () => topicSchemas['activities.recorded'] });
  // What an erasure has emptied says nothing any more.
  const own = records.filter(({ topic, value_base64 }) => topic === 'activities.recorded' && (value_base64 ?? '') !== '');
  return Promise.all(own.map(({ value_base64 }) => codec.decode('activities.recorded', Buffer.from(value_base64, 'base64'))));
}

/** The records of the audit log, once it has these acts. */
function until(actions: readonly ActivityRecorded['action'][]): Promise<ExportedRecord[]> {
  return vi.waitFor(
    async () => {
      const found = await audited();
      const done = new Set((await actsIn(found)).map(({ action }) => action));
      expect(actions.filter((action) => !done.has(action))).toEqual([]);
      return found;
    },
    { ...within, interval: 500 },
  );
}

/** A held deposit of the customer u-1. */
async function held(): Promise<{ screeningId: string; caseId: string }> {
  const deposit = {
    deposit_id: 'd-1',
    coin: 'ETH',
    from_address: address('payer'),
    to_address: address('exchange'),
    amount: '1.5',
    user_id: 'u-1',
  };
  const { screening_id: screeningId } = await ask(installation.token('ingest'), 'POST', '/v1/deposits', deposit);
  const caseId = await vi.waitFor(
    async () => (await ask(ann, 'GET', `/v1/reviews/${screeningId}`)).case_id ?? expect.fail('no case'),
    within,
  );
  return { screeningId, caseId: caseId as string };
}

async function planAndResolve({ screeningId, caseId }: { screeningId: string; caseId: string }): Promise<void> {
  const [review, ofCase] = [`/v1/reviews/${screeningId}`, `/v1/cases/${caseId}`];
  await ask(ann, 'POST', `${review}/notes`, { text: 'seen' });
  await ask(ann, 'PUT', `${review}/assignee`, { assignee: 'Ben' });
  await ask(ann, 'PUT', `${ofCase}/due`, { due_at: new Date(Date.now() - 60_000).toISOString() });
  const file = { name: 'statement.txt', content_base64: Buffer.from('of the bank\n').toString('base64') };
  for (const of of [review, ofCase]) await ask(ann, 'POST', `${of}/attachments`, file);
  await vi.waitFor(async () => expect((await ask(ann, 'GET', '/v1/cases?escalated=true')).items).toHaveLength(1), within);
  const { resolution_id } = await ask(ann, 'POST', `${review}/resolutions`, { action: 'allow', reason: 'our own' });
  await ask(ben, 'POST', `${review}/approvals`, { resolution_id, approve: true });
  await vi.waitFor(async () => expect((await ask(ann, 'GET', `/v1/screenings/${screeningId}`)).status).toBe('allowed'), within);
  await ask(ann, 'PUT', `${ofCase}/outcome`, { outcome: 'false_positive', reason: 'our own' });
}

async function changePolicies(): Promise<void> {
  const next = (await command('policy', 'show', 'active')).replace('Severe: block', 'Severe: review');
  expect(next).toContain('Severe: review');
  const { policy_hash } = await ask(ann, 'POST', '/v1/policies/proposals', { text: next });
  await ask(ben, 'POST', '/v1/policies/rejections', { policy_hash, reason: 'not yet' });
  await ask(ann, 'POST', '/v1/policies/proposals', { text: next });
  await ask(ben, 'POST', '/v1/policies/approvals', { policy_hash });
  await command('policy', 'shadow', 'default');
}

async function importTransfers(): Promise<void> {
  const row = `ethereum,ETH,0x${'a'.repeat(64)},2026-01-31T09:12:23Z,${address('thief')},${address('payee')},1,2500`;
  const file = join(installation.dataDir, 'transfers.csv');
  writeFileSync(file, `chain,coin,txid,time,from_address,to_address,amount,usd\n${row}\n`);
  await command('transfers', 'import', file, '--format', 'csv');
}

async function changeLabels(): Promise<void> {
  const label = { chain: 'ethereum', address: address('thief'), name: 'A thief', category: 'theft', source: 'own' };
  const { request_id } = await ask(ann, 'POST', '/v1/label-requests', { action: 'add', ...label, reason: 'reported' });
  await ask(ben, 'POST', `/v1/label-requests/${request_id}/answers`, { approve: true });
  await vi.waitFor(async () => expect((await ask(ann, 'GET', `/v1/labels?address=${label.address}`)).items).toHaveLength(1), within);
}

/** A deposit that contradicts another, and a record that is gone before deposit-ingest has read it. */
async function breakTheLog(): Promise<void> {
  const logger = createLogger({ service: 'test', level: 'silent' });
  const pipeline = await openPipeline({ databaseUrl: pool.url, clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
  const { log } = pipeline;
  await publishTo(pipeline, 'deposits.detected', {
    deposit_id: 'd-1',
    chain: null,
    coin: 'ETH',
    txid: null,
    from_address: address('payer'),
    to_address: address('exchange'),
    amount: '2',
    usd_value: null,
    user_id: 'u-1',
    memo: null,
    detected_at: systemClock.now(),
  });
  await vi.waitFor(async () => expect(JSON.parse(await command('dlq', 'list', '--json'))).toHaveLength(1), within);
  await command('dlq', 'replay', 'deposits.detected', '--all', '--yes');
  await vi.waitFor(async () => expect((await log.lag('deposit-ingest')).every(({ lag }) => lag === 0n)).toBe(true), within);
  await pool.query(
    `UPDATE log.partitions p SET next_offset = next_offset + 1, first_offset = next_offset + 1 FROM log.topics t
     WHERE t.id = p.topic AND t.name = 'deposits.detected' AND p.partition = 0`,
  );
  await command('topics', 'resume', 'deposit-ingest', '--from', 'earliest', '--yes');
  await command('topics', 'rebuild', 'deposit-ingest', '--yes');
  await pipeline.close();
}

test('each act of a person is an entry of the audit log with its person, and each topic is as asyncapi.yaml describes it', async () => {
  await planAndResolve(await held());
  await changePolicies();
  await changeLabels();
  await importTransfers();
  const { id } = JSON.parse(await command('keys', 'create', '--role', 'auditor', '--name', 'acts', '--json'));
  await command('keys', 'revoke', id, '--yes');
  const contract = address('token');
  await command('coins', 'add', 'OWN', '--chain', 'ethereum', '--contract', contract, '--decimals', '18');
  await command('coins', 'remove', 'OWN-ERC20', '--yes');
  await command('watch', 'add', address('own'), '--chain', 'ethereum');
  await command('watch', 'remove', address('own'), '--chain', 'ethereum');
  const { items: deliveries } = await ask(ann, 'GET', '/v1/webhooks/deliveries');
  await ask(installation.token('admin'), 'POST', `/v1/webhooks/deliveries/${deliveries[0].event_id}/retry`);
  await ask(ann, 'POST', '/v1/session', {});
  const { items: sessions } = await ask(installation.token('admin'), 'GET', '/v1/sessions');
  await ask(installation.token('admin'), 'DELETE', `/v1/sessions/${sessions[0].session_id}`);
  const withdrawal = { withdrawal_id: 'w-1', coin: 'ETH', to_address: address('receiver'), amount: '1', user_id: 'u-2' };
  await ask(installation.token('gate'), 'POST', '/v1/withdrawals', withdrawal);
  await breakTheLog();
  const acted = await until(['note_added', 'case_escalated', 'webhook_retried', 'records_rebuilt']);
  const { erasure_id } = JSON.parse(
    await command('privacy', 'erase', '--user', 'u-1', '--reason', 'asked for', '--before-retention-ends', '--json'),
  );
  await command('privacy', 'approve', erasure_id, '--yes');
  await installation.end();
  await command('webhooks', 'off', '--yes');
  await installation.start();

  const records = await until(['personal_data_erased', 'webhooks_ended']);
  const acts = [...(await actsIn(acted)), ...(await actsIn(records))];
  const done = new Set(acts.map(({ action }) => action));
  expect(activityActions.filter((action) => !done.has(action))).toEqual(elsewhere);
  const byAnn = [
    'note_added',
    'assigned',
    'due_set',
    'outcome_set',
    'attachment_added',
    'policy_proposed',
    'label_change_requested',
    'erasure_proposed',
  ];
  const byBen = ['policy_activated', 'label_change_answered', 'personal_data_erased'];
  const byCommand = [
    'coin_added',
    'coin_removed',
    'addresses_watched',
    'addresses_unwatched',
    'key_revoked',
    'policy_shadowed',
    'webhooks_ended',
    'dead_letters_replayed',
    'gap_passed',
    'records_rebuilt',
    'transfers_imported',
  ];
  const named = (action: string): (string | undefined)[] =>
    acts.filter((act) => act.action === action).map(({ person_name }) => person_name);
  for (const action of byAnn) expect({ action, by: named(action) }).toEqual({ action, by: expect.arrayContaining(['Ann']) });
  for (const action of byBen) expect({ action, by: named(action) }).toEqual({ action, by: expect.arrayContaining(['Ben']) });
  for (const action of byCommand)
    expect({ action, by: named(action) }).toEqual({ action, by: expect.arrayContaining([userInfo().username]) });
  expect(named('case_escalated')).toContain('Weir');

  expect(new Set(acted.map(({ topic }) => topic))).toEqual(new Set([...topics, 'deposits.detected.dlq']));
  expect(undescribed(acted)).toEqual([]);
  expect((await weir(['audit', 'verify', '--data-dir', installation.dataDir])).code).toBe(0);
}, 300_000);
