import { systemClock } from '@weir/clock';
import { openPool, startEmbeddedPostgres } from '@weir/postgres';
import { detectedDeposits, knownSenders, postedDeposit, publishAll } from './decisions.ts';
import type { Line } from './line.ts';
import { Caller, openLoop } from './open-loop.ts';
import { type EmbeddedSystem, startSystem } from './system.ts';

/** What PostgreSQL does for one deposit. Counted, not timed. */
export interface Cost {
  /** Top level, those of transactions included. */
  readonly statements: number;
  readonly commits: number;
  /** Rows inserted, updated and deleted. */
  readonly rowVersions: number;
  readonly walBytes: number;
  /** `rowVersions` by table. */
  readonly written: Readonly<Record<string, number>>;
  /** Rows that sequential scans read, by table. */
  readonly scanned: Readonly<Record<string, number>>;
  /** The statements with most calls, and their calls for each deposit. */
  readonly top: readonly string[];
  /** The statements that write most WAL: their bytes, and whole pages after a checkpoint, for each deposit. */
  readonly topWal: readonly string[];
}

export type Answers = 'own question' | 'known answer';

export interface Load {
  readonly deposits: number;
  /** Undefined: by topic, all at once. */
  readonly perSecond?: number;
}

const warmUp: Load = { deposits: 500, perSecond: 100 };
/** So slow that each deposit is alone in its batches, on any machine: the most that a deposit can cost. */
export const alone: Load = { deposits: 150, perSecond: 10 };
/** Batches are larger on a busy machine, and their statements and commits are shared. */
const busy: Load = { deposits: 500, perSecond: 100 };
/** Batches are as large as they get. So what a deposit writes is left: its row versions and its WAL. */
export const bulk: Load = { deposits: 3_000 };
/** Each deposit's own, and those that follow: detected, requested, scored, decided. */
const eventsOfDeposit = 4;
/** Rare enough not to count. */
const pollMs = 500;

/** Posts deposits to a fresh installation. */
export async function measureCost(answers: Answers, measured: Load): Promise<Cost> {
  const system = await startSystem({ prepare: loadStatistics });
  try {
    await apply(system, answers, 'warm', warmUp, warmUp.deposits);
    const walBefore = await resetStatistics(system);
    await apply(system, answers, 'cost', measured, warmUp.deposits + measured.deposits);
    const walBytes = (await positionOf(system)) - walBefore;
    return await readCost(system, measured.deposits, walBytes);
  } finally {
    await system.close();
  }
}

/** Resolves when `total` deposits are decided, in the audit log and in the console. */
async function apply(system: EmbeddedSystem, answers: Answers, run: string, { deposits, perSecond }: Load, total: number): Promise<void> {
  const { pipeline, ingest } = system;
  const senders = answers === 'own question' ? undefined : knownSenders;
  if (perSecond === undefined) {
    const ids = Array.from({ length: deposits }, (_, n) => `${run}-${n}`);
    await publishAll(pipeline, detectedDeposits(pipeline, ids, senders));
  } else {
    const caller = new Caller(ingest);
    await openLoop(deposits, perSecond, (n) => caller.post('/v1/deposits', postedDeposit(`${run}-${n}`, n, senders), 202));
    caller.close();
  }
  for (;;) {
    const { rows } = await pipeline.pool.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM audit.entries WHERE screening_id IS NOT NULL',
    );
    if (rows[0]?.count === total * eventsOfDeposit && (await pipeline.log.lag('console')).every(({ lag }) => lag === 0n)) return;
    await systemClock.sleep(pollMs);
  }
}

async function loadStatistics(ownerUrl: string): Promise<void> {
  const pool = openPool({ url: ownerUrl, max: 1 });
  try {
    await pool.query('CREATE EXTENSION pg_stat_statements');
    await pool.query('ALTER SYSTEM SET shared_preload_libraries = pg_stat_statements');
  } finally {
    await pool.end();
  }
}

async function resetStatistics(system: EmbeddedSystem): Promise<number> {
  // A checkpoint in the measured time would add whole pages to the WAL. Backends report at most 10 s late.
  await system.pipeline.pool.query('CHECKPOINT');
  await systemClock.sleep(11_000);
  await system.pipeline.pool.query('SELECT pg_stat_reset(), pg_stat_statements_reset()');
  return positionOf(system);
}

async function positionOf({ pipeline: { pool } }: EmbeddedSystem): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>("SELECT (pg_current_wal_insert_lsn() - '0/0')::text AS bytes");
  return Number(rows[0]?.bytes);
}

/** Backends report the rest of their counters as they end. */
async function readCost(system: EmbeddedSystem, deposits: number, walBytes: number): Promise<Cost> {
  const server = await startEmbeddedPostgres({ dataDir: await system.end(), clock: systemClock });
  const pool = openPool({ url: server.url, max: 1 });
  try {
    const { rows: totals } = await pool.query<{ statements: number; commits: number; row_versions: number }>(`
      SELECT (SELECT sum(calls)::int FROM pg_stat_statements) AS statements,
        (SELECT xact_commit::int FROM pg_stat_database WHERE datname = current_database()) AS commits,
        (SELECT sum(n_tup_ins + n_tup_upd + n_tup_del)::int FROM pg_stat_user_tables) AS row_versions`);
    const { rows: writes } = await pool.query<{ name: string; rows: number }>(`
      SELECT schemaname || '.' || relname AS name, (n_tup_ins + n_tup_upd + n_tup_del)::float8 AS rows FROM pg_stat_user_tables
      WHERE n_tup_ins + n_tup_upd + n_tup_del > 0 ORDER BY 2 DESC`);
    const { rows: scans } = await pool.query<{ name: string; rows: number }>(`
      SELECT schemaname || '.' || relname AS name, seq_tup_read::float8 AS rows FROM pg_stat_user_tables WHERE seq_tup_read > 0 ORDER BY 2 DESC`);
    const { rows: top } = await pool.query<{ line: string }>(
      `SELECT round(calls / $1::numeric, 2) || ' × ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 100) AS line
       FROM pg_stat_statements ORDER BY calls DESC LIMIT 40`,
      [deposits],
    );
    const { rows: topWal } = await pool.query<{ line: string }>(
      `SELECT round(wal_bytes / $1::numeric) || ' B, ' || round(wal_fpi / $1::numeric, 2) || ' pages: ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 100) AS line
       FROM pg_stat_statements WHERE wal_bytes > 0 ORDER BY wal_bytes DESC LIMIT 20`,
      [deposits],
    );
    const [total = { statements: Number.NaN, commits: Number.NaN, row_versions: Number.NaN }] = totals;
    return {
      statements: total.statements / deposits,
      commits: total.commits / deposits,
      rowVersions: total.row_versions / deposits,
      walBytes: walBytes / deposits,
      written: Object.fromEntries(writes.map(({ name, rows }) => [name, rows / deposits])),
      scanned: Object.fromEntries(scans.map(({ name, rows }) => [name, rows / deposits])),
      top: top.map(({ line }) => line),
      topWal: topWal.map(({ line }) => line),
    };
  } finally {
    await pool.end();
    await server.stop();
  }
}

export async function benchCost(print: (line: Line) => void): Promise<Line[]> {
  const lines: Line[] = [];
  for (const [name, measured] of [
    ['alone', alone],
    ['100/s', busy],
    ['in bulk', bulk],
  ] as const)
    for (const answers of ['own question', 'known answer'] as const) {
      const { statements, commits, rowVersions, walBytes } = await measureCost(answers, measured);
      lines.push(
        { name: `statements of a deposit, ${name}, ${answers}`, value: statements, unit: '' },
        { name: `commits of a deposit, ${name}, ${answers}`, value: commits, unit: '' },
        { name: `row versions of a deposit, ${name}, ${answers}`, value: rowVersions, unit: '' },
        { name: `WAL of a deposit, ${name}, ${answers}`, value: walBytes / 1_000, unit: 'kB' },
      );
    }
  lines.forEach(print);
  return lines;
}
