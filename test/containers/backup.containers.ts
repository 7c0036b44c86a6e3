import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { askPrometheus } from './stack/prometheus.ts';
import { decisionOf, freshAddress, postDeposit, until } from './stack/requests.ts';
import { projectRoot, Stack } from './stack/stack.ts';

const stack = Stack.join();
/** PostgreSQL tries an archive that has failed again once a minute. */
const archiveLimitMs = 180_000;

function inPostgres(...command: string[]): Promise<string> {
  return stack.compose(['exec', '-T', 'postgres', ...command]);
}

async function query(sql: string): Promise<string> {
  return (await inPostgres('psql', '-U', 'postgres', '-d', 'weir', '-Atc', sql)).trim();
}

/** Closes the segment that the server writes. Returns its name. */
async function switchSegment(): Promise<string> {
  const lines = await query("SELECT pg_logical_emit_message(false, 'test', 'x'); SELECT pg_walfile_name(pg_switch_wal())");
  return lines.split('\n').at(-1) ?? '';
}

async function archived(segment: string): Promise<void> {
  const find = `SELECT last_archived_wal >= '${segment}' FROM pg_stat_archiver`;
  await until(`${segment} in the archive`, async () => ((await query(find)) === 't' ? true : undefined), archiveLimitMs);
}

async function decidedDeposit(): Promise<string> {
  const { tokens } = await stack.credentials();
  const screening = await postDeposit(stack, tokens['ingest'] ?? '', randomUUID(), freshAddress(randomBytes));
  await decisionOf(stack, tokens['auditor'] ?? '', screening);
  return screening;
}

test('PostgreSQL archives its WAL, and an archive that cannot be written is seen by Prometheus', async () => {
  const failing = async (): Promise<boolean> => {
    const { result } = await askPrometheus<{ result: unknown[] }>(stack, 'query', { query: 'max(weir_wal_archive_failing_seconds) > 0' });
    return result.length > 0;
  };
  const segment = await switchSegment();
  await archived(segment);
  await inPostgres('gzip', '--test', `/backups/wal/${segment}.gz`);
  onTestFinished(async () => void (await inPostgres('chmod', '700', '/backups/wal')));
  await inPostgres('chmod', '500', '/backups/wal');
  const kept = await switchSegment();
  await until('the failure', async () => ((await failing()) ? true : undefined), archiveLimitMs);
  await inPostgres('chmod', '700', '/backups/wal');
  await archived(kept);
  await until('the end of the failure', async () => ((await failing()) ? undefined : true));
}, 600_000);

test('the role of backups reads no table and changes nothing but its runs', async () => {
  const as = (sql: string): Promise<string> =>
    inPostgres('sh', '-c', `PGPASSWORD="$(cat /secrets/postgres/backup)" psql -h postgres -U weir_backup -d weir -Atc "${sql}"`);
  await expect(as('SELECT 1 FROM access.tokens')).rejects.toThrow(/permission denied/);
  await expect(as('DELETE FROM weir.jobs')).rejects.toThrow(/permission denied/);
  await expect(as('CREATE TABLE backup.own ()')).rejects.toThrow(/permission denied/);
  await as('SELECT backup.began(24)');
  await as('SELECT backup.ended(NULL)');
  const row = "SELECT every_ms, failure, succeeded_at > now() - interval '1 minute' FROM weir.jobs WHERE name = 'backup'";
  expect(await query(row)).toBe('86400000||t');
});

test.skipIf(stack.place.absent.includes('backup'))(
  'a backup that was taken and verified restores into another PostgreSQL, with what was decided before and after it',
  async () => {
    const before = await decidedDeposit();
    expect(await stack.compose(['run', '--rm', '--no-deps', '-T', 'backup', 'now'])).toContain('taken and verified');
    const after = await decidedDeposit();
    await archived(await switchSegment());

    const name = `${stack.place.project}-restored`;
    const image = (await stack.services())['postgres']?.image ?? '';
    const volumes = ['--volume', `${name}:/var/lib/postgresql`, '--volume', `${stack.place.project}_backups:/backups:ro`];
    const onDisk = ['--network', 'none', '--user', 'postgres', ...volumes];
    onTestFinished(async () => {
      await stack.docker(['rm', '--force', name]);
      await stack.docker(['volume', 'rm', name]);
    });
    const script = `${join(projectRoot, 'deploy', 'postgres', 'restore.sh')}:/restore.sh:ro`;
    await stack.docker(['run', '--rm', ...onDisk, '--volume', script, '--entrypoint', 'bash', image, '/restore.sh']);
    // Recovery wants no fewer connections than the server had.
    await stack.docker(['run', '--detach', '--name', name, ...onDisk, image, 'postgres', '-cmax_connections=200']);
    const sql = `SELECT count(DISTINCT screening_id) FROM decision.decisions WHERE screening_id IN ('${before}', '${after}')`;
    const psql = ['exec', name, 'psql', '-U', 'postgres', '-d', 'weir', '-Atc', sql];
    const count = (): Promise<string> => stack.docker(psql).catch(() => '');
    // It answers reads while it replays the WAL.
    await until('both deposits in the restored database', async () => ((await count()) === '2\n' ? true : undefined));
  },
  600_000,
);
