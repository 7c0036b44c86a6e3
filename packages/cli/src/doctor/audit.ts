import { checkIndex } from '@weir/audit-writer';
import { systemClock } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { knownOutside, verifyLog } from '../audit/verify-log.ts';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';

/** Longer than anybody waits for the doctor. */
const limitMs = 30_000;
/** Problems named; "weir audit verify" names all. */
const mostNamed = 5;
const triggers = ['entries_append_only', 'entries_erasure', 'leaves_append_only', 'leaves_erasure', 'nodes_append_only'] as const;

/** Whether the audit log is complete, its tree is the signed one, and its tables still reject changes. */
export async function examineAudit(pool: Pool, settings: AllSettings): Promise<Finding[]> {
  const { rows } = await pool.query<{ found: boolean }>(`SELECT to_regclass('audit.entries') IS NOT NULL AS found`);
  if (rows[0]?.found !== true) return [];
  const { problem, size, isWhole } = await checkIndex(pool, { clock: systemClock, limitMs });
  return [
    ...(problem === undefined ? [index(size, isWhole)] : [wrong('audit log', problem)]),
    ...(await examineTree(pool, settings)),
    ...(await examineTriggers(pool)),
  ];
}

function index(size: bigint, isWhole: boolean): Finding {
  if (isWhole) return ok('audit log', `${size} entries, index without a gap`);
  return remark('audit log', `the first ${size} entries have an index without a gap; "weir audit export" looks at the rest`);
}

async function examineTree(pool: Pool, settings: AllSettings): Promise<Finding[]> {
  const { rows: migrated } = await pool.query(`SELECT FROM weir.migrations WHERE id = 'audit/0006-erasures'`);
  if (migrated.length === 0) return [remark('audit tree', 'none yet; the next start begins it')];
  const { rows } = await pool.query<{ signed: boolean }>('SELECT EXISTS (SELECT FROM audit.checkpoint) AS signed');
  const known = knownOutside(settings);
  if (rows[0]?.signed !== true && known.checkpoints.length === 0) return [remark('audit tree', 'nothing is signed')];
  const problems: string[] = [];
  const end = systemClock.monotonic() + limitMs;
  const isEnded = (): boolean => systemClock.monotonic() > end;
  const { size, covered, isWhole } = await verifyLog(pool, { known, onProblem: (text) => problems.push(text), isEnded });
  const rest =
    problems.length > mostNamed ? [wrong('audit tree', `${problems.length - mostNamed} more; "weir audit verify" names all`)] : [];
  if (problems.length > 0) return [...problems.slice(0, mostNamed).map((text) => wrong('audit tree', text)), ...rest];
  if (!isWhole) return [remark('audit tree', `the first ${size} entries fit their leaves; "weir audit verify" looks at the rest`)];
  return [ok('audit tree', `${size} entries fit the tree, ${covered} of them are signed`)];
}

async function examineTriggers(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT t.name FROM unnest($1::text[]) AS t(name) WHERE NOT EXISTS (
       SELECT FROM pg_trigger WHERE tgrelid = to_regclass('audit.' || split_part(t.name, '_', 1)) AND tgname = t.name AND tgenabled = 'A')
       -- A database that waits for this version has the triggers of its own.
       AND (t.name LIKE '%append_only' OR EXISTS (SELECT FROM weir.migrations WHERE id = 'audit/0006-erasures')) ORDER BY t.name`,
    [triggers],
  );
  return rows.map(({ name }) => wrong('audit log', `the trigger ${name}, which refuses changes, is missing or disabled`));
}
