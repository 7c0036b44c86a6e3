import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RiskLevel, type ScreeningScored, screeningId } from '@weir/contracts';
import { startAuditWriter } from '@weir/audit-writer';
import { startDecision } from '@weir/decision';
import { parsePolicy, readPolicy } from '@weir/policy';
import { storeToken } from '@weir/service-kit';
import { caughtUp, openTestStack, type TestService, type TestStack, publishTo } from '@weir/service-kit/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolder, weir } from '../testing/weir.ts';

const folder = makeFolder();
const defaults = readPolicy();
const file = (name: string, text: string): string => {
  const path = join(folder.path, name);
  writeFileSync(path, text);
  return path;
};
const hashOf = (text: string): string => parsePolicy(text).hash;
/** Each call is a process, and the machine may be busy. */
const patience = 240_000;

let stack: TestStack;
let decision: TestService;
beforeAll(async () => {
  stack = await openTestStack();
  decision = await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
  for (const [who, [role, name]] of Object.entries(people)) await storeToken(stack.db.pool, `token-${who}`, role, name);
  // A replay compares with the events in the audit log.
  await stack.service((pipeline) => startAuditWriter(pipeline, { auditBatch: 500 }));
}, patience);
afterAll(async () => {
  await stack.close();
  folder.remove();
});

const people = { ann: ['reviewer', 'Ann'], 'ann-2': ['approver', ' ANN'], ben: ['approver', 'Ben'], gate: ['gate', 'machine'] } as const;
const runAs = (who: keyof typeof people | 'nobody', ...args: string[]) =>
  weir(['policy', ...args], { env: { DATABASE_URL: stack.db.url, WEIR_TOKEN: who === 'nobody' ? '' : `token-${who}` } });
const run = (...args: string[]) => runAs('ann', ...args);
const json = async (...args: string[]) => {
  const { code, stdout, stderr } = await run(...args, '--json');
  return { code, stderr, value: JSON.parse(stdout === '' ? 'null' : stdout) };
};

function scored(id: string, risk_level: RiskLevel | null, usd_value: string | null): ScreeningScored {
  const now = Date.UTC(2026, 0, 1);
  const address = '0x28c6c06298d514db089934071355e5743bf21d60';
  const asked = { chain: 'ethereum', coin: 'ETH', kind: 'deposit' } as const;
  return {
    screening_id: screeningId('deposit', id),
    attempt: 1,
    renews_revision: null,
    sequence: 1,
    kind: asked.kind,
    outcome: risk_level === null ? 'UNAVAILABLE' : 'SCORED',
    reasons: risk_level === null ? ['BUDGET_EXHAUSTED'] : [],
    score: null,
    risk_level,
    detail_list: [],
    risk_detail: [],
    illicit_usd: null,
    address_label: '',
    hacking_event: '',
    provider: 'risk.example',
    scanned_ts: null,
    evidence: null,
    evidence_sha256: null,
    scored_at: now,
    reused: false,
    reported_at: null,
    questions: [],
    known_usd_price: null,
    price_day: null,
    subject_type: 'address',
    subject: address,
    direction: 'deposit',
    requested_at: now,
    deadline_at: Date.UTC(2100, 0, 1),
    transfer: {
      ...asked,
      source_id: id,
      txid: null,
      from_address: address,
      to_address: address,
      amount: '1',
      usd_value,
      user_id: 'u-1',
      memo: null,
      occurred_at: now,
    },
  };
}

async function decide(...results: ScreeningScored[]): Promise<void> {
  await publishTo(decision.pipeline, 'screenings.scored', ...results);
  for (const group of ['decision', 'audit-writer']) await caughtUp(decision.pipeline, group);
}

describe('check', () => {
  test(
    'prints the hash of a good file; of a wrong one every fault with its place, its line and what would help',
    async () => {
      const good = file('good.yaml', defaults);
      const end = defaults.trimEnd().split('\n').length;
      const text = `${defaults.replace('Severe: block', 'Severe: blok')}rules:\n  - { name: A, when: 'true', action: review }\n`;
      const bad = file('bad.yaml', text);
      const rule = file('rule.yaml', `${defaults}rules:\n  - name: a\n    when: transfer.usd_value > 10.5\n    action: review\n`);
      const [ok, okJson, wrong, wrongJson, wrongRule, absent] = await Promise.all([
        run('check', good),
        json('check', good),
        run('check', bad),
        json('check', bad),
        run('check', rule),
        run('check', '/no/such/file'),
      ]);
      expect(ok).toEqual({ code: 0, stdout: `${hashOf(defaults)}\n`, stderr: '' });
      expect(okJson.value).toEqual({ file: good, policy_hash: hashOf(defaults), problems: [] });
      expect({ code: wrong.code, stdout: wrong.stdout }).toEqual({ code: 1, stdout: '' });
      expect(wrong.stderr.split('\n').slice(0, 3)).toEqual([
        `${bad}:9:11: deposit.Severe: must be block, review or allow`,
        '    9 |   Severe: blok',
        '      |           ^^^^',
      ]);
      expect(wrong.stderr).toContain(`${bad}:${end + 2}:13: rules.0.name: must be lower case letters`);
      expect(wrong.stderr).toContain('2 things are wrong with it');
      expect(wrongJson).toMatchObject({ code: 1, value: { policy_hash: null, problems: [{ line: 9, column: 11 }, { line: end + 2 }] } });
      expect(wrongRule.stderr.split('\n').slice(0, 4)).toEqual([
        `${rule}:${end + 3}:11: rules.0.when: no such overload: decimal > double`,
        `   ${end + 3} |     when: transfer.usd_value > 10.5`,
        '      |           ^^^^^^^^^^^^^^^^^^^^^^^^^',
        '      = write amounts with a fraction as decimal("1000.50"), which is exact',
      ]);
      expect(absent).toEqual({ code: 1, stdout: '', stderr: 'weir: policy /no/such/file cannot be read: ENOENT\n' });
    },
    patience,
  );
});

test(
  'a policy is tried on what was decided, runs beside, comes into force, releases nothing by itself, and goes again',
  async () => {
    const relaxed = defaults.replaceAll("'1000'", "'5000'");
    const path = file('relaxed.yaml', relaxed);
    await decide(
      scored('small', 'Moderate', '500'),
      scored('middle-1', 'Moderate', '2000'),
      scored('middle-2', 'Moderate', '3000'),
      scored('large', 'Moderate', '9000'),
      scored('severe', 'Severe', '1'),
      scored('late', null, '2000'),
    );

    const diff = await run('diff', 'active', path);
    expect(diff.stdout.split('\n')[0]).toBe('Moderate deposits from 1,000 to below 5,000 USD: review → allow');

    const selection = ['--policy', path, '--since', '2020-01-01'];
    const [shown, first] = await Promise.all([
      run('backtest', ...selection),
      json('backtest', ...selection, '--list', 'review:allow', '--limit', '1'),
    ]);
    expect(shown.stdout).toMatch(/review +2 +2 +0\n/);
    expect(shown.stderr).toMatch(/^6 results in .* a second; reading the rows alone took .* a second\.\n$/);
    expect(first.value).toMatchObject({
      policy_hash: hashOf(relaxed),
      results: 6,
      matrix: {
        allow: { allow: 1, review: 0, block: 0 },
        review: { allow: 2, review: 2, block: 0 },
        block: { allow: 0, review: 0, block: 1 },
      },
      per_second: expect.any(Number) as number,
      rows_read_per_second: expect.any(Number) as number,
      items: [{ kind: 'deposit', revision: 1, was: { action: 'review' }, would_be: { action: 'allow' } }],
    });
    const { next_cursor, items } = first.value as { next_cursor: string; items: { source_id: string }[] };
    const second = await json('backtest', ...selection, '--list', 'review:allow', '--limit', '1', '--cursor', next_cursor);
    expect(second.value.next_cursor).toBeNull();
    expect(new Set([...items, ...second.value.items].map(({ source_id }: { source_id: string }) => source_id))).toEqual(
      new Set(['middle-1', 'middle-2']),
    );

    expect((await json('shadow', path)).value).toMatchObject({ active: hashOf(defaults), shadow: hashOf(relaxed) });
    await decide(scored('beside', 'Moderate', '4000'));
    const disagreements = await json('shadow', '--disagreements');
    expect(disagreements.value).toMatchObject({
      counts: [{ action: 'review', shadow: 'allow', count: 1 }],
      items: [{ screening_id: screeningId('deposit', 'beside'), transfer: { source_id: 'beside' } }],
    });

    const proposed = await run('activate', path);
    expect(proposed.code).toBe(0);
    expect(proposed.stderr).toContain('  Moderate deposits from 1,000 to below 5,000 USD: review → allow');
    expect(proposed.stderr).toContain(`weir policy approve ${hashOf(relaxed).slice(0, 12)}`);
    expect((await json('list')).value[0]).toMatchObject({ active: hashOf(defaults) });
    const activated = await runAs('ben', 'approve', hashOf(relaxed).slice(0, 12));
    expect(activated.stderr).toMatch(/ {2}Moderate deposits from 1,000 to below 5,000 USD: review → allow\n.*In force from now on/s);
    expect(activated.code).toBe(0);
    await decide(scored('after', 'Moderate', '4000'));
    const [held, list, kept, replayed, refused] = await Promise.all([
      json('held'),
      json('list'),
      run('show', hashOf(defaults).slice(0, 12)),
      json('replay', '--since', '2020-01-01'),
      run('activate', file('broken.yaml', 'version: 1\n')),
    ]);
    expect(held.value.map(({ source_id }: { source_id: string }) => source_id).toSorted()).toEqual(['beside', 'middle-1', 'middle-2']);
    expect(held.value[0]).toMatchObject({ screening_id: expect.any(String) as string, revision: 1, would_be: { action: 'allow' } });
    expect(kept.stdout).toBe(defaults);
    expect(list.value).toMatchObject([
      { number: 3, active: hashOf(relaxed), active_by: 'command', shadow: hashOf(relaxed) },
      { number: 2, active: hashOf(defaults), shadow: hashOf(relaxed) },
      { number: 1, active: hashOf(defaults), active_by: 'default', shadow: null },
    ]);
    expect(replayed.value).toEqual({ decisions: 8, identical: 8, compared_with_published: 8, different: [] });
    expect(refused.code).toBe(1);
    // Nothing was released automatically.
    const { rows } = await stack.db.pool.query("SELECT count(*)::int AS held FROM decision.screenings WHERE action = 'review'");
    expect(rows).toEqual([{ held: 5 }]);

    const off = await run('shadow', '--off');
    expect(off.stderr).toContain('No candidate runs.');
    expect((await json('activate', hashOf(defaults).slice(0, 8))).value).toMatchObject({
      policy_hash: hashOf(defaults),
      proposed_by_name: 'Ann',
    });
    const back = await runAs('ben', 'approve', hashOf(defaults).slice(0, 8), '--json');
    expect(JSON.parse(back.stdout)).toMatchObject({ number: 5, active: hashOf(defaults), shadow: null });
  },
  patience,
);

test(
  'a policy takes two people with tokens of their own, and only while it is the latest proposal for what is in force',
  async () => {
    const text = `${defaults}# proposed\n`;
    const path = file('proposed.yaml', text);
    const hash = hashOf(text).slice(0, 12);
    const inForce = async () => (await json('list')).value[0].active;
    const before = await inForce();
    const refused = async (who: keyof typeof people | 'nobody', said: string | RegExp, ...args: string[]) => {
      expect(await runAs(who, ...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(said) });
      expect(await inForce()).toBe(before);
    };
    await refused('nobody', 'WEIR_TOKEN is not set: a policy takes two people', 'activate', path);
    await refused('gate', 'has the role gate: this takes reviewer or approver', 'activate', path);
    await refused('ben', 'is not the policy that was proposed last', 'approve', hash);
    expect((await run('activate', path)).code).toBe(0);
    await refused('ann', 'has the role reviewer: this takes approver', 'approve', hash);
    await refused('ann-2', 'another person must approve', 'approve', hash);
    await refused('nobody', 'WEIR_TOKEN is not set', 'approve', hash);
    expect((await run('activate', file('newer.yaml', `${text}# newer\n`))).code).toBe(0);
    await refused('ben', 'is not the policy that was proposed last', 'approve', hash);
    expect((await run('activate', path)).code).toBe(0);
    await refused('gate', 'has the role gate', 'reject', hash, '--reason', 'no');
    for (const reason of [' ', 'x'.repeat(2_001)])
      expect(await runAs('ben', 'reject', hash, '--reason', reason)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching('--reason must have 1 to 2,000 characters'),
      });
    const rejected = await runAs('ben', 'reject', hash, '--reason', 'too strict');
    expect([rejected.code, rejected.stderr]).toEqual([0, `Rejected: ${hashOf(text)}. The policy in force stays.\n`]);
    await refused('ben', 'the proposal was rejected', 'approve', hash);
    expect((await run('activate', path)).code).toBe(0);
    expect((await run('shadow', path)).code).toBe(0);
    await refused('ben', 'the policies in force changed since it was proposed', 'approve', hash);
    expect((await run('shadow', '--off')).code).toBe(0);
  },
  patience,
);

test(
  'a decision that no longer replays fails the command and is named',
  async () => {
    await decide(scored('tampered', 'High', '1'));
    await stack.db.pool.query(
      `UPDATE decision.decisions SET evidence = (evidence::jsonb || '{"risk_level": "Low"}')::json WHERE screening_id = $1`,
      [screeningId('deposit', 'tampered')],
    );
    const { code, stderr } = await run('replay', '--since', '2020-01-01');
    expect(code).toBe(1);
    expect(stderr).toContain(`differs: ${screeningId('deposit', 'tampered')}/1`);
  },
  patience,
);

test(
  'what the release before decided and held, of which no evidence is stored, is said to be missing',
  async () => {
    const other = await openTestStack();
    try {
      const started = await other.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd: '' }));
      await started.stop();
      await (await other.service((pipeline) => startAuditWriter(pipeline, { auditBatch: 500 }))).stop();
      const id = screeningId('deposit', 'older');
      await other.db.pool.query(
        `INSERT INTO decision.screenings (screening_id, kind, transfer, requested_at, deadline_at, revision, action)
         VALUES ('${id}', 'deposit', '{}', now(), now(), 1, 'review');
         INSERT INTO decision.decisions (screening_id, revision, cause, action, event_id, decided_at) VALUES ('${id}', 1, 'scored/1/1', 'review', '${id}', now())`,
      );
      const ask = (...args: string[]) => weir(['policy', ...args], { env: { DATABASE_URL: other.db.url } });
      expect((await ask('held')).stderr).toMatch(/^1 more are held since before Weir kept/);
      expect((await ask('replay', '--since', '2020-01-01')).stderr).toMatch(/^1 decisions of that time are not among them/);
      expect((await ask('backtest', '--policy', 'default', '--since', '2020-01-01')).stderr).toMatch(/^1 decisions of that time are not/);
    } finally {
      await other.close();
    }
  },
  patience,
);
