import { type Clock, systemClock } from '@weir/clock';
import type { LogGap } from '@weir/event-log';
import { databaseError, mayRunOn, openPool, type Pool } from '@weir/postgres';
import { lineOf } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { findRunning, type OpenDatabase, openDatabase } from '@weir/installation';
import { allMigrations } from '@weir/installation/services';
import type { AllSettings } from '../settings.ts';
import { examineAudit } from './audit.ts';
import { examineChainData } from './chain-data.ts';
import { deadLetters } from './dead-letters.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';
import { gapFindings } from './gaps.ts';
import { type GroupLag, listed, standingStill } from './lag.ts';
import { examineLists } from './lists.ts';
import { examineRoles } from './roles.ts';
import { examineStored } from './stored.ts';

/** Examines the database without changes. Starts an embedded one that is stopped, for this time. */
export async function examineDatabase(flags: PlaceFlags, settings: AllSettings, undo: (() => Promise<unknown>)[]): Promise<Finding[]> {
  const opening = openDatabase({ ...settings, isFolderNamed: flags.dataDir !== undefined, clock: systemClock });
  undo.push(() => opening.then((opened) => opened?.close()));
  let database: OpenDatabase | undefined;
  try {
    database = await opening;
  } catch (error) {
    return [wrong('database', lineOf(databaseError(error)))];
  }
  if (database === undefined) return [remark('database', 'none yet; the first start creates one')];
  const pool = openPool({ url: database.url, max: 2, applicationName: 'weir doctor', onError: () => undefined });
  undo.push(() => pool.end());
  try {
    const { rows } = await pool.query<{ version: string; migrated: boolean }>(
      `SELECT current_setting('server_version') AS version, to_regclass('weir.migrations') IS NOT NULL AS migrated`,
    );
    const how = { given: 'that of DATABASE_URL', running: 'embedded, running', started: 'embedded, started for this check' }[database.how];
    const reached = ok('database', `PostgreSQL ${rows[0]?.version}, ${how}`);
    if (rows[0]?.migrated !== true) return [reached, remark('schema', 'empty; the first start sets it up')];
    const schema = [
      ...(await examineSchema(pool)),
      ...(await examineRoles(pool)),
      ...(await examineStored(pool, settings)),
      ...(await examineAudit(pool, settings)),
      ...(await examineOutbox(pool)),
      ...(await examineChainData(pool, settings)),
      ...(await examineLists(pool, settings, systemClock)),
    ];
    // With Kafka the log is elsewhere.
    if (settings.kafkaBrokers !== '' || !(await hasLog(pool))) return [reached, ...schema];
    const isRunning = database.how === 'running' && findRunning(settings.dataDir) !== undefined;
    return [
      reached,
      ...schema,
      ...(await examineLag(pool, isRunning, systemClock)),
      ...gapFindings(await findGaps(pool)),
      ...(await examineDeadLetters(pool)),
    ];
  } catch (error) {
    return [wrong('database', lineOf(databaseError(error)))];
  }
}

async function examineSchema(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ id: string; module: string; sha256: string; requires: string | null }>(
    'SELECT id, module, sha256, requires FROM weir.migrations ORDER BY id',
  );
  const strange = rows.find(({ module, ...applied }) => allMigrations[module] !== undefined && !mayRunOn(applied, allMigrations[module]));
  if (strange !== undefined) return [wrong('schema', `the data was written by another version of Weir (${strange.id})`)];
  const last = new Map(rows.map(({ id, module }) => [module, /\/(\d+)/.exec(id)?.[1] ?? id]));
  const versions = [...last].map(([module, number]) => `${module} ${Number(number)}`).join(', ');
  const missing = Object.values(allMigrations)
    .flat()
    .filter(({ id }) => !rows.some((row) => row.id === id));
  return [
    missing.length === 0
      ? ok('schema', versions)
      : remark('schema', `${versions}; the next start adds ${missing.length} step${missing.length === 1 ? '' : 's'}`),
  ];
}

/** No retry can publish an event that the log rejects: a person has to act. */
async function examineOutbox(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ service: string; topic: string; refusal: string; count: number; oldest: string }>(
    `SELECT service, topic, refusal, count(*)::int AS count, (array_agg(event_id ORDER BY created_at))[1]::text AS oldest FROM outbox.events
     WHERE NOT published AND refused_at IS NOT NULL GROUP BY service, topic, refusal ORDER BY service, topic, refusal`,
  );
  if (rows.length === 0) return [ok('outbox', 'no event is refused by the log')];
  return rows.map(({ service, topic, refusal, count, oldest }) =>
    wrong(
      'outbox',
      `the log refuses ${count} of ${service}'s events for ${topic} (${refusal}), the oldest ${oldest}; later events of their transfers wait`,
    ),
  );
}

async function hasLog(pool: Pool): Promise<boolean> {
  const { rows } = await pool.query<{ found: boolean }>(`SELECT to_regclass('log.assignments') IS NOT NULL AS found`);
  return rows[0]?.found === true;
}

/** Records that a group has yet to read, over all partitions, and its committed offsets. */
const lagQuery = `
  SELECT g.name, sum(p.next_offset - greatest(a.committed, p.first_offset))::int8 AS lag, sum(a.committed)::int8 AS committed
  FROM log.groups g JOIN log.assignments a ON a.group_id = g.id
  JOIN log.partitions p ON p.topic = a.topic AND p.partition = a.partition GROUP BY g.name ORDER BY g.name`;

async function examineLag(pool: Pool, isRunning: boolean, clock: Clock): Promise<Finding[]> {
  const groups = async (): Promise<GroupLag[]> => (await pool.query<GroupLag & Record<string, unknown>>(lagQuery)).rows;
  const first = await groups();
  const behind = first.filter(({ lag }) => lag > 0n);
  if (behind.length === 0) return [ok('consumers', `${first.length} groups, nothing left to read`)];
  if (!isRunning) return [remark('consumers', `still to be read: ${listed(behind)}`)];
  const still = await standingStill(behind, groups, clock);
  if (still.length === 0) return [ok('consumers', `being read: ${listed(behind)}`)];
  return [wrong('consumers', `stand still with records to read: ${listed(still)}`)];
}

/** Reads the tables itself, because opening the log would write to the database. */
async function findGaps(pool: Pool): Promise<LogGap[]> {
  const { rows } = await pool.query<LogGap & Record<string, unknown>>(
    `SELECT g.name AS "group", t.name AS topic, a.partition, a.committed AS missing, p.first_offset AS available
     FROM log.groups g JOIN log.assignments a ON a.group_id = g.id JOIN log.topics t ON t.id = a.topic
     JOIN log.partitions p ON p.topic = a.topic AND p.partition = a.partition
     WHERE a.committed < p.first_offset ORDER BY 1, 2, 3`,
  );
  return rows;
}

async function examineDeadLetters(pool: Pool): Promise<Finding[]> {
  const { rows } = await pool.query<{ name: string; count: bigint }>(
    `SELECT t.name, sum(p.next_offset - p.first_offset)::int8 AS count FROM log.topics t JOIN log.partitions p ON p.topic = t.id
     WHERE t.name LIKE '%.dlq' GROUP BY t.name HAVING sum(p.next_offset - p.first_offset) > 0 ORDER BY t.name`,
  );
  return [deadLetters(rows)];
}
