import { startAuditWriter } from '@weir/audit-writer';
import { caughtUp, openTestStack, type TestStack, publishTo } from '@weir/service-kit/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { weir } from '../testing/weir.ts';

let stack: TestStack;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  stack = await openTestStack();
  const audit = await stack.service((given) => startAuditWriter(given, { auditBatch: 500 }));
  await publishTo(audit.pipeline, 'screenings.requested', ...['one', 'two', 'three', 'four'].map((text) => Buffer.from(text)));
  await caughtUp(audit.pipeline, 'audit-writer');
  await audit.stop();
  env = { DATABASE_URL: stack.db.url, WEIR_PORT: '0' };
});
afterAll(() => stack.close());

const auditLines = (stdout: string): string[] => stdout.split('\n').filter((line) => /^\w+ +audit log /.test(line));

test('entries that were deleted from the audit log are named by "weir audit export" and "weir doctor", which fail', async () => {
  expect(await weir(['audit', 'export'], { env })).toMatchObject({ code: 0 });
  expect(auditLines((await weir(['doctor'], { env })).stdout)).toEqual([
    expect.stringMatching(/^ok +audit log +4 entries, index without a gap$/),
  ]);

  await stack.db.pool.query(`ALTER TABLE audit.entries DISABLE TRIGGER ALL; DELETE FROM audit.entries WHERE index IN (1, 2)`);

  const exported = await weir(['audit', 'export'], { env });
  expect(exported).toMatchObject({ code: 1, stderr: expect.stringContaining('the index of the audit log is broken: missing 1 to 2') });
  expect(
    exported.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).index),
  ).toEqual([0, 3]);
  const doctor = await weir(['doctor'], { env });
  expect(doctor.code).toBe(1);
  expect(auditLines(doctor.stdout)).toEqual([
    expect.stringMatching(/^wrong +audit log +the index of the audit log is broken: missing 1 to 2$/),
    expect.stringMatching(/^wrong +audit log +the trigger entries_append_only, which refuses changes, is missing or disabled$/),
    expect.stringMatching(/^wrong +audit log +the trigger entries_erasure, which refuses changes, is missing or disabled$/),
  ]);
  // Four sequential commands on a machine that may be busy.
});
