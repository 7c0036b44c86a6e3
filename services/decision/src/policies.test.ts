import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RiskLevel } from '@weir/contracts';
import { parsePolicy, readPolicy } from '@weir/policy';
import { transaction } from '@weir/postgres';
import { createLogger } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { activatePolicy, keptPolicy, policyChanges, policyInForce, shadowPolicy, startDecision } from './index.ts';
import { PoliciesInForce } from './policies.ts';
import type { DecisionService } from './service.ts';
import { scored } from '@weir/contracts/testing';
import { decisionRole } from './role.testing.ts';

const defaults = readPolicy();
const strict = defaults.replaceAll('Low: allow', 'Low: review');
const stricter = defaults.replaceAll('Low: allow', 'Low: block');
const wrong = `${defaults}rules:\n  - { name: a, when: transfer.nonsense, action: review }\n`;
const hashOf = (text: string): string => parsePolicy(text).hash;

let stack: TestStack;
let folder: string;
let file: string;
const logged: string[] = [];
beforeEach(async () => {
  stack = await openTestStack({ roles: [decisionRole] });
  folder = mkdtempSync(join(tmpdir(), 'weir-decision-'));
  file = join(folder, 'policy.yaml');
  logged.length = 0;
});
afterEach(async () => {
  await stack.close();
  rmSync(folder, { recursive: true });
});

const logger = createLogger({ service: 'decision', level: 'warn', destination: { write: (line: string) => void logged.push(line) } });
const start = (policyFile = '') =>
  stack.service((pipeline) => startDecision({ ...pipeline, logger }, { policyFile, reviewSingleBelowUsd: '' }), { role: decisionRole });
const inForce = async (): Promise<string | undefined> => (await policyInForce(stack.db.pool))?.active;
const metric = async ({ pipeline }: TestService, name: string): Promise<string[]> =>
  (await pipeline.metrics.scrape()).split('\n').filter((line) => line.startsWith(name));

let count = 0;
/** Decides one transfer and returns its decision. */
async function decideOne(replica: TestService, level: RiskLevel = 'Low') {
  const id = `d-${(count += 1)}`;
  await publishTo(replica.pipeline, 'screenings.scored', scored(id, 1, 1, { risk_level: level }));
  await caughtUp(replica.pipeline, 'decision');
  const events = await readTopic(replica.pipeline, 'screenings.decided');
  return events.map(({ data }) => data).find(({ transfer }) => transfer.source_id === id);
}

test('a change that waits for a decision which does not end is given up, so that others go on', async () => {
  await start();
  const [holding, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const stuck = transaction(stack.db.pool, async (tx) => {
    await tx.query('SELECT FROM decision.policy_in_force()');
    holding.resolve();
    await ended.promise;
  });
  await holding.promise;
  await expect(activatePolicy(stack.db.pool, strict)).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE', retriable: true });
  ended.resolve();
  await stuck;
  await activatePolicy(stack.db.pool, strict);
  expect(await inForce()).toBe(hashOf(strict));
});

describe('the policy file', () => {
  test('is in force from the start, and again whenever it has changed', async () => {
    writeFileSync(file, strict);
    const decision = await start(file);
    expect(await decideOne(decision)).toMatchObject({ action: 'review', policy_hash: hashOf(strict) });
    writeFileSync(file, stricter);
    await vi.waitFor(async () => expect(await inForce()).toBe(hashOf(stricter)), { timeout: 10_000 });
    expect(await decideOne(decision)).toMatchObject({ action: 'block', policy_hash: hashOf(stricter) });
    expect(await metric(decision, 'weir_policy_info')).toEqual([`weir_policy_info{policy_hash="${hashOf(stricter)}"} 1`]);
    expect(await metric(decision, 'weir_policy_file_info')).toEqual([`weir_policy_file_info{policy_hash="${hashOf(stricter)}"} 1`]);
    expect(await keptPolicy(stack.db.pool, hashOf(strict))).toEqual({ policy_hash: hashOf(strict), text: strict });
  });

  test('is looked at once when it is asked to be', async () => {
    writeFileSync(file, strict);
    const decision = await start(file);
    writeFileSync(file, stricter);
    await (decision.service as DecisionService).reload();
    expect(await inForce()).toBe(hashOf(stricter));
  });

  test.each([
    ['wrong', () => writeFileSync(file, wrong), 'no such key'],
    ['half written', () => writeFileSync(file, strict.slice(0, 400)), 'policy is'],
    ['gone', () => rmSync(file), 'ENOENT'],
  ])('that is %s changes nothing, is logged once and can be seen', async (_, spoil, said) => {
    writeFileSync(file, strict);
    const decision = await start(file);
    expect(await metric(decision, 'weir_policy_file_rejected')).toEqual(['weir_policy_file_rejected 0']);
    spoil();
    await vi.waitFor(async () => expect(await metric(decision, 'weir_policy_file_rejected')).toEqual(['weir_policy_file_rejected 1']), {
      timeout: 10_000,
    });
    await (decision.service as DecisionService).reload();
    expect(decision.service.warnings?.()).toEqual([expect.stringContaining('the policy file is not in force') as string]);
    expect(logged.filter((line) => line.includes('the policy file is wrong'))).toHaveLength(1);
    expect(logged.join()).toContain(said === 'no such key' ? 'nonsense' : said);
    expect(await decideOne(decision)).toMatchObject({ action: 'review', policy_hash: hashOf(strict) });
    expect((await policyChanges(stack.db.pool)).map(({ active }) => active)).toEqual([hashOf(strict)]);
    writeFileSync(file, stricter);
    await (decision.service as DecisionService).reload();
    expect(await inForce()).toBe(hashOf(stricter));
    expect(decision.service.warnings?.()).toEqual([]);
  });

  test('that is wrong at a later start leaves the policy in force, and at the first one it is a wrong setting', async () => {
    writeFileSync(file, wrong);
    await expect(start(file)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    writeFileSync(file, strict);
    await (await start(file)).stop();
    writeFileSync(file, wrong);
    const again = await start(file);
    expect(await decideOne(again)).toMatchObject({ policy_hash: hashOf(strict) });
  });

  test('that has not changed does not undo a command, at a restart neither', async () => {
    writeFileSync(file, strict);
    await (await start(file)).stop();
    await activatePolicy(stack.db.pool, stricter);
    const again = await start(file);
    await (again.service as DecisionService).reload();
    expect(await inForce()).toBe(hashOf(stricter));
    expect(await metric(again, 'weir_policy_file_info')).toEqual([`weir_policy_file_info{policy_hash="${hashOf(strict)}"} 1`]);
    writeFileSync(file, `${strict}# touched\n`);
    await (again.service as DecisionService).reload();
    expect(await inForce()).toBe(hashOf(`${strict}# touched\n`));
  });
});

test('a policy with an error never becomes active, nor a candidate', async () => {
  await start();
  const refused = { code: 'POLICY_INVALID' };
  for (const text of ['', wrong, defaults.replace('High: review', '')]) {
    await expect(activatePolicy(stack.db.pool, text)).rejects.toMatchObject(refused);
    await expect(shadowPolicy(stack.db.pool, text)).rejects.toMatchObject(refused);
  }
  expect(await policyChanges(stack.db.pool)).toMatchObject([{ number: 1, active: hashOf(defaults), active_by: 'default', shadow: null }]);
  expect((await stack.db.pool.query('SELECT FROM decision.policies')).rowCount).toBe(1);
});

test('an evaluation error in a rule holds the transfer and says which rule', async () => {
  const decision = await start();
  await activatePolicy(stack.db.pool, `${defaults}rules:\n  - { name: known-senders, when: transfer.txid == "0x12", action: block }\n`);
  const reason_codes = ['RULE:known-senders', 'RULE_FAILED:known-senders', 'LEVEL_LOW'];
  expect(await decideOne(decision)).toMatchObject({ action: 'review', rule: 'rules.known-senders', reason_codes });
});

test('two replicas decide by the new policy once the change has returned, and one that decides holds the change up', async () => {
  const replicas = [await start(), await start()] as const;
  for (const replica of replicas) expect(await decideOne(replica)).toMatchObject({ action: 'allow' });
  for (const [text, action] of [
    [strict, 'review'],
    [stricter, 'block'],
    [defaults, 'allow'],
  ] as const) {
    await activatePolicy(stack.db.pool, text);
    for (const replica of replicas) expect(await decideOne(replica)).toMatchObject({ action, policy_hash: hashOf(text) });
  }
  const policies = new PoliciesInForce(() => undefined);
  let changed = false;
  const change = await transaction(stack.db.pool, async (tx) => {
    expect((await policies.read(tx)).active.hash).toBe(hashOf(defaults));
    const changing = activatePolicy(stack.db.openPool(), strict).then(() => void (changed = true));
    await vi.waitFor(async () => {
      const { rowCount } = await stack.db.pool.query("SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted");
      expect(rowCount).toBe(1);
    });
    expect([(await policies.read(tx)).active.hash, changed]).toEqual([hashOf(defaults), false]);
    return { changing };
  });
  await change.changing;
  await transaction(stack.db.pool, async (tx) => expect((await policies.read(tx)).active.hash).toBe(hashOf(strict)));
});

describe('a candidate', () => {
  test('is asked beside the policy, and its disagreements are counted', async () => {
    const decision = await start();
    await shadowPolicy(stack.db.pool, strict);
    expect(await decideOne(decision)).toMatchObject({ action: 'allow', shadow: 'review', shadow_policy_hash: hashOf(strict) });
    expect(await decideOne(decision, 'Severe')).toMatchObject({ action: 'block', shadow: 'block' });
    expect(await metric(decision, 'weir_shadow_disagreements_total{')).toEqual([
      'weir_shadow_disagreements_total{action="allow",shadow="review"} 1',
    ]);
    await shadowPolicy(stack.db.pool, null);
    expect(await decideOne(decision)).toMatchObject({ action: 'allow', shadow: null, shadow_policy_hash: null });
  });

  test('that fails, or cannot be read, changes no decision', async () => {
    const decision = await start();
    await shadowPolicy(stack.db.pool, `${defaults}rules:\n  - { name: a, when: transfer.txid == "1", action: block }\n`);
    expect(await decideOne(decision)).toMatchObject({ action: 'allow', shadow: 'review' });
    // As a newer Weir would leave it.
    await stack.db.pool.query("INSERT INTO decision.policies VALUES ('newer', 'version: 2')");
    await stack.db.pool.query(
      "INSERT INTO decision.policy_changes SELECT number + 1, active, active_by, 'newer' FROM decision.policy_changes ORDER BY number DESC LIMIT 1",
    );
    expect(await decideOne(decision)).toMatchObject({ action: 'allow', shadow: null, shadow_policy_hash: null });
    expect(logged.join()).toContain('the candidate policy cannot be read here');
  });
});
