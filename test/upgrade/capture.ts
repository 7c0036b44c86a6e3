/**
 * `npm run release:fixture -- NAME`: runs this version with a few transfers, and writes every row of its tables, and so the records of its
 * topics, to `test/upgrade/released/NAME.json`. Later versions must read them. From then on its tag `vNAME` is the version before, whose
 * programs `npm run drill:upgrade` runs.
 */
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { connectToRunning, openPool, type Pool } from '@weir/postgres';
import { type Installation, makeInstallation } from '../support/stack/installation.ts';

const limitMs = 60_000;
const root = join(import.meta.dirname, '..', '..');
const name = process.argv[2];
if (name === undefined || !/^[\w.-]+$/.test(name)) throw new Error('which name? For a release its version');
const sanctioned = `0x${'1'.repeat(40)}`;
const unknown = `0x${'2'.repeat(40)}`;
const own = '0x28c6c06298d514db089934071355e5743bf21d60';

const installation = await makeInstallation({ env: { WEIR_LOG_LEVEL: 'warn' } });
try {
  await installation.start();
  const pool = openPool({ url: connectToRunning(installation.dataDir) ?? '', max: 1 });
  try {
    await use(installation, pool);
    writeFileSync(join(import.meta.dirname, 'released', `${name}.json`), await dump(pool));
    writeFileSync(join(import.meta.dirname, 'released', 'version-before'), `v${name}\n`);
  } finally {
    await pool.end();
  }
} finally {
  await installation.remove();
}

/** Each topic gets a record, and each service a row. */
async function use(running: Installation, pool: Pool): Promise<void> {
  const labels = join(running.dataDir, 'labels.csv');
  writeFileSync(labels, `chain,address,name,category,source\nETH,${sanctioned},Listed,sanctions,a list\n`);
  const weir = [
    join(root, 'packages', 'cli', 'bin', 'weir.js'),
    'labels',
    'import',
    labels,
    '--format',
    'csv',
    '--data-dir',
    running.dataDir,
  ];
  await promisify(execFile)(process.execPath, weir);
  const people = { ann: await running.addPerson('reviewer', 'Ann'), ben: await running.addPerson('approver', 'Ben') };
  const post = async (path: string, token: string, body: object): Promise<any> => {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${token}`, prefer: 'wait=20' };
    const answer = await fetch(`${running.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const terms = { coin: 'ETH', amount: '1.5', user_id: 'customer 1' };
  for (const [n, from_address] of [sanctioned, unknown].entries())
    await post('/v1/deposits', running.token('ingest'), { ...terms, deposit_id: `in-${n}`, from_address, to_address: own });
  const { screening_id } = await post('/v1/withdrawals', running.token('gate'), { ...terms, withdrawal_id: 'out-0', to_address: unknown });
  await until(pool, `SELECT FROM console.screenings HAVING count(*) = 3`);
  const review = `/v1/reviews/${screening_id}`;
  const { resolution_id } = await post(`${review}/resolutions`, people.ann, { action: 'allow', reason: 'the receiver is known' });
  await post(`${review}/approvals`, people.ben, { resolution_id, approve: true });
  await until(pool, `SELECT FROM gate.withdrawals WHERE status = 'allowed'`);
  await until(pool, `SELECT FROM audit.entries HAVING count(DISTINCT topic) = 8`);
  await until(
    pool,
    `SELECT WHERE NOT EXISTS (SELECT FROM log.records r JOIN log.topics t ON t.id = r.topic LEFT JOIN audit.entries a
       ON a.event_id = (r.headers ->> 'ce_id')::uuid WHERE a.event_id IS NULL)`,
  );
}

async function until(pool: Pool, sql: string): Promise<void> {
  const end = performance.now() + limitMs;
  while ((await pool.query(sql)).rowCount === 0) {
    if (performance.now() > end) throw new Error(`not true in ${limitMs} ms: ${sql}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** One row a line, so that a change of a fixture can be read. The values are those of PostgreSQL's `to_jsonb`. */
async function dump(pool: Pool): Promise<string> {
  const { rows: steps } = await pool.query<{ id: string; sha256: string }>('SELECT id, sha256 FROM weir.migrations ORDER BY id');
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND schemaname || '.' || tablename <> 'weir.migrations' ORDER BY 1`,
  );
  const line = (key: string, value: unknown): string => `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
  const filled: string[] = [];
  for (const { name: table } of tables) {
    const { rows } = await pool.query<{ row: string }>(`SELECT to_jsonb(t)::text AS row FROM ${table} t ORDER BY 1`);
    if (rows.length > 0) filled.push(`${JSON.stringify(table)}: [\n${rows.map(({ row }) => row).join(',\n')}\n]`);
  }
  return `{"steps": {\n${steps.map(({ id, sha256 }) => line(id, sha256)).join(',\n')}\n},\n"tables": {\n${filled.join(',\n')}\n}}\n`;
}
