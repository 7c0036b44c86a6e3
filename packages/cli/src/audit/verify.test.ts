import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSignerKey } from '@weir/audit-log';
import { startAuditWriter } from '@weir/audit-writer';
import { caughtUp, openTestStack, publishTo, type TestStack } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { weir } from '../testing/weir.ts';

let stack: TestStack;
let dir: string;
let lines: string[];
let early: string;
beforeAll(async () => {
  stack = await openTestStack();
  dir = mkdtempSync(join(tmpdir(), 'weir-verify-'));
  const settings = { auditBatch: 500, auditDir: dir };
  const publish = async (...texts: string[]): Promise<void> => {
    const audit = await stack.service((given) => startAuditWriter(given, settings));
    await publishTo(audit.pipeline, 'screenings.requested', ...texts.map((text) => Buffer.from(text)));
    await caughtUp(audit.pipeline, 'audit-writer');
    await audit.stop();
    // A start signs what is there.
    await (await stack.service((given) => startAuditWriter(given, settings))).stop();
  };
  await publish('one', 'two');
  const { rows } = await stack.db.pool.query<{ note: string }>('SELECT note FROM audit.checkpoint');
  early = rows[0]?.note ?? '';
  await publish('three', 'four', 'five');
  const { stdout } = await weir(['audit', 'export'], { env: { DATABASE_URL: stack.db.url, WEIR_PORT: '0' } });
  lines = stdout.trim().split('\n');
});
afterAll(async () => {
  await stack.close();
  rmSync(dir, { recursive: true });
});

test('as JSON the result names each problem', async () => {
  const file = join(dir, 'audit.jsonl');
  const resultOf = async (content: readonly string[]): Promise<unknown> => {
    writeFileSync(file, `${content.join('\n')}\n`);
    const { code, stdout } = await weir(['audit', 'verify', file, '--json']);
    return [code, JSON.parse(stdout)];
  };
  expect(await resultOf(lines)).toEqual([0, { ok: true, entries: 5, problem_count: 0, problems: [] }]);
  const altered = lines.with(2, (lines[2] ?? '').replace(/"key":"/, '"key":"x'));
  expect(await resultOf(altered)).toEqual([
    1,
    { ok: false, entries: 5, problem_count: 1, problems: [expect.stringMatching(/^entry 2 \([-0-9a-f]+\) is not the one of its leaf/)] },
  ]);
});

const verify = async (content: readonly string[], ...flags: string[]) => {
  writeFileSync(join(dir, 'audit.jsonl'), `${content.join('\n')}\n`);
  const { code, stderr } = await weir(['audit', 'verify', join(dir, 'audit.jsonl'), ...flags]);
  return { code, stderr };
};

test('an export verifies offline, also against an earlier checkpoint; an altered, removed or moved entry is named', async () => {
  expect(lines).toHaveLength(6);
  writeFileSync(join(dir, 'early'), early);
  expect(await verify(lines, '--checkpoint', join(dir, 'early'))).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('5 entries verify'),
  });

  const altered = lines.with(2, (lines[2] ?? '').replace(/"key":"/, '"key":"x'));
  expect(await verify(altered)).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/entry 2 \([-0-9a-f]+\) is not the one of its leaf/),
  });
  const removed = await verify(lines.toSpliced(1, 1));
  expect(removed).toMatchObject({ code: 1, stderr: expect.stringContaining('stands where entry 1 belongs') });
  const moved = await verify([lines[1], lines[0], ...lines.slice(2)].map((line) => line ?? ''));
  expect(moved).toMatchObject({ code: 1, stderr: expect.stringContaining('over another tree of 5 entries') });

  const other = createSignerKey('other', Buffer.alloc(32, 1)).verifier.text;
  expect(await verify(lines, '--key', other)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('no known key has signed the note'),
  });
});
