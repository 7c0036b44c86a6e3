import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startAuditWriter } from '@weir/audit-writer';
import type { ScreeningDecided } from '@weir/contracts';
import { scored } from '@weir/contracts/testing';
import { startDecision } from '@weir/decision';
import { caughtUp, openTestStack, publishTo, readTopic, type TestService, type TestStack } from '@weir/service-kit/testing';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bin, cleanEnvironment, weir } from '../testing/weir.ts';

let stack: TestStack;
let dir: string;
let env: NodeJS.ProcessEnv;
let decision: TestService;
const ids = ['d-1', 'd-2', 'd-3'] as const;
const { screening_id } = scored('d-2');

const settings = () => ({ auditBatch: 500, auditDir: dir });

/** A start signs what is there. */
async function record(): Promise<void> {
  for (let run = 0; run < 2; run += 1) {
    const audit = await stack.service((given) => startAuditWriter(given, settings()));
    await caughtUp(audit.pipeline, 'audit-writer');
    await audit.stop();
  }
}

beforeAll(async () => {
  stack = await openTestStack();
  dir = mkdtempSync(join(tmpdir(), 'weir-decisions-'));
  env = { DATABASE_URL: stack.db.url, WEIR_PORT: '0', WEIR_AUDIT_DIR: dir };
  decision = await stack.service((given) => startDecision(given, { policyFile: '', reviewSingleBelowUsd: '' }));
  const levels = { 'd-1': 'Low', 'd-2': 'Severe', 'd-3': 'High' } as const;
  const results = ids.map((id) => scored(id, 1, 1, { risk_level: levels[id], score: { Low: 3, Severe: 95, High: 80 }[levels[id]] }));
  await publishTo(decision.pipeline, 'screenings.scored', ...results);
  await caughtUp(decision.pipeline, 'decision');
  await record();
});
afterAll(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

const toFile = async (name: string, ...args: string[]): Promise<string> => {
  const path = join(dir, name);
  const { code, stdout, stderr } = await weir(['audit', ...args], { env });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  writeFileSync(path, stdout);
  return path;
};
/** Without the installation. */
const offline = (file: string, ...flags: string[]) => weir(['audit', 'verify', file, ...flags]);

test('each decision of an export and of an installation follows from its evidence and policy', async () => {
  const file = await toFile('whole.jsonl', 'export');
  expect(await offline(file, '--key', readFileSync(join(dir, 'audit-key.pub'), 'utf8').trim())).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('6 entries verify, 3 decisions follow from their evidence and policies.'),
  });
  expect(await weir(['audit', 'verify'], { env })).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/6 entries verify, 3 decisions follow .*, with the key beside the signing key/),
  });
  const other = await toFile('other.jsonl', 'export');
  writeFileSync(
    other,
    readFileSync(other, 'utf8').replace('"policies":{', '"policies":{"x":"y",').replace('Severe: block', 'Severe: allow'),
  );
  expect(await offline(other)).toMatchObject({ code: 1, stderr: expect.stringMatching(/policy [0-9a-f]{64} is not known/) });
});

test('a part and a single event verify by their proofs, and not if they are altered', async () => {
  const part = await toFile('part.jsonl', 'export', '--screening', screening_id);
  // The result and the decision.
  expect(readFileSync(part, 'utf8').trim().split('\n')).toHaveLength(3);
  expect(await offline(part)).toMatchObject({ code: 0, stderr: expect.stringContaining('2 entries verify as a part of the log') });
  const since = await toFile('since.jsonl', 'export', '--since', '2200-01-01T00:00:00Z');
  expect(readFileSync(since, 'utf8').trim().split('\n')).toHaveLength(1);

  const [event] = await readTopic(decision.pipeline, 'screenings.decided');
  const proof = await toFile('proof.jsonl', 'prove', event?.id ?? '');
  expect(await offline(proof)).toMatchObject({ code: 0, stderr: expect.stringContaining('1 entry verifies as a part of the log') });
  const text = readFileSync(proof, 'utf8');
  const { index } = JSON.parse(text.split('\n')[0] ?? '') as { index: number };
  writeFileSync(proof, text.replace(`"index":${index}`, `"index":${(index + 1) % 6}`));
  expect(await offline(proof)).toMatchObject({ code: 1, stderr: expect.stringContaining('is not in the tree of the checkpoint') });
  expect(await weir(['audit', 'prove', screening_id], { env })).toMatchObject({ code: 1, stderr: expect.stringContaining('has no event') });
  expect(await weir(['audit', 'prove', 'x'])).toMatchObject({ code: 2 });
});

test('data that people read in an export says what the signed bytes say', async () => {
  const text = readFileSync(await toFile('read.jsonl', 'export'), 'utf8');
  const forged = join(dir, 'forged.jsonl');
  const change = (from: string | RegExp, to: string) => {
    expect(text).toMatch(from);
    writeFileSync(forged, text.replace(from, to));
    return offline(forged);
  };
  const named = { code: 1, stderr: expect.stringMatching(/entry \d \([-0-9a-f]+\) has data that its value does not have/) };
  expect(await change(/"action":"block"/, '"action":"allow"')).toMatchObject(named);
  expect(await change(/"action":"block",/, '')).toMatchObject(named);
  expect(await change(/"action":"block"/, '"action":"block","approved":true')).toMatchObject(named);
  const lines = text.trim().split('\n');
  const last = JSON.parse(lines.at(-1) ?? '') as object;
  const endingWith = (line: object) => {
    writeFileSync(forged, `${lines.toSpliced(-1, 1, JSON.stringify(line)).join('\n')}\n`);
    return offline(forged);
  };
  expect(await endingWith({ ...last, schemas: {} })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('the file lacks its schema'),
  });
  expect(await endingWith({ ...last, schemas: undefined, policies: undefined })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('the data that people read was not compared'),
  });
  // A field that an earlier version did not have.
  writeFileSync(forged, text.replaceAll(',"memo":null}', '}'));
  expect(readFileSync(forged, 'utf8').length).toBeLessThan(text.length);
  expect(await offline(forged)).toMatchObject({ code: 0, stderr: expect.stringContaining('6 entries verify') });
});

test('CSV and Parquet have every entry; Parquet has the checkpoint in its metadata', async () => {
  const csv = readFileSync(await toFile('all.csv', 'export', '--format', 'csv'), 'utf8')
    .trim()
    .split('\r\n');
  expect(csv).toHaveLength(7);
  expect(csv[0]).toMatch(/^index,event_id,topic,key,event_time/);
  const parquet = join(dir, 'all.parquet');
  execFileSync('sh', ['-c', `"$0" "$1" audit export --format parquet > "$2"`, process.execPath, bin, parquet], {
    env: { ...cleanEnvironment, ...env },
    stdio: 'pipe',
  });
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  const rows = async (sql: string) => (await connection.runAndReadAll(sql)).getRowObjectsJson();
  expect(
    await rows(`SELECT count(*)::INTEGER AS n, count(DISTINCT event_id)::INTEGER AS ids, max("index")::INTEGER AS last FROM '${parquet}'`),
  ).toEqual([{ n: 6, ids: 6, last: 5 }]);
  const [metadata] = await rows(`SELECT decode(value) AS value FROM parquet_kv_metadata('${parquet}') WHERE decode(key) = 'weir'`);
  expect(JSON.parse(metadata?.['value'] as string)).toMatchObject({ checkpoint: expect.stringMatching(/^weir-audit-/) });
});

test('a decision that does not follow is named, in an export and in an installation', async () => {
  const [made] = (await readTopic(decision.pipeline, 'screenings.decided')).filter(({ data }) => data.screening_id === screening_id);
  const forged: ScreeningDecided = { ...(made?.data as ScreeningDecided), action: 'allow', revision: 2, supersedes: 1 };
  await publishTo(decision.pipeline, 'screenings.decided', forged);
  await record();
  const named = new RegExp(`entry 6 \\([-0-9a-f]+\\): decision 2 of screening ${screening_id} \\(allow\\) does not follow`);
  expect(await offline(await toFile('forged.jsonl', 'export'))).toMatchObject({ code: 1, stderr: expect.stringMatching(named) });
  expect(await weir(['audit', 'verify'], { env })).toMatchObject({ code: 1, stderr: expect.stringMatching(named) });

  await stack.db.pool.query(`UPDATE decision.decisions SET action = 'allow' WHERE screening_id = $1`, [screening_id]);
  await stack.db.pool.query(
    `UPDATE decision.decisions SET evidence = jsonb_set(evidence::jsonb, '{risk_level}', '"Low"') WHERE screening_id = $1`,
    [screening_id],
  );
  expect(await weir(['audit', 'verify'], { env })).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`decision.decisions: decision 1 of screening ${screening_id} does not follow`),
  });
});

test('a row of a decision that is altered or removed is named, whatever its evidence says', async () => {
  const [changed, removed] = [scored('d-1').screening_id, scored('d-3').screening_id];
  await stack.db.pool.query(`UPDATE decision.decisions SET action = 'block' WHERE screening_id = $1`, [changed]);
  await stack.db.pool.query('DELETE FROM decision.decisions WHERE screening_id = $1', [removed]);
  const { code, stderr } = await weir(['audit', 'verify'], { env });
  expect(code).toBe(1);
  expect(stderr).toMatch(new RegExp(`decision.decisions: decision 1 of screening ${changed} is block, and entry \\d+ \\(.*\\) has allow`));
  expect(stderr).toContain(`decision.decisions: decision 1 of screening ${changed} does not follow from its stored evidence and policy`);
  expect(stderr).toMatch(
    new RegExp(`decision.decisions: decision 1 of screening ${removed} has no row, and entry \\d+ \\(.*\\) has review`),
  );
});
