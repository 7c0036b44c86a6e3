import { checkIndex } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { type Finding, ok, remark, wrong } from './finding.ts';

/** Longer than anybody waits for the doctor. */
const limitMs = 30_000;

/** Whether the audit log is complete according to its index, and still rejects changes. */
export async function examineAudit(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ found: boolean; guarded: boolean }>(
    `SELECT to_regclass('audit.entries') IS NOT NULL AS found, EXISTS (
       SELECT FROM pg_trigger WHERE tgrelid = to_regclass('audit.entries') AND tgname = 'entries_append_only' AND tgenabled = 'A') AS guarded`,
  );
  if (rows[0]?.found !== true) return [];
  const { problem, size, isWhole } = await checkIndex(pool, { clock: systemClock, limitMs });
  return [
    ...(problem === undefined ? [index(size, isWhole)] : [wrong('audit log', problem)]),
    ...(rows[0].guarded ? [] : [wrong('audit log', 'the trigger entries_append_only, which refuses changes, is missing or disabled')]),
  ];
}

function index(size: bigint, isWhole: boolean): Finding {
  if (isWhole) return ok('audit log', `${size} entries, index without a gap`);
  return remark('audit log', `the first ${size} entries have an index without a gap; "weir audit export" looks at the rest`);
}
