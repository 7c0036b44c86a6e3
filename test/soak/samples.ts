import { type Dirent, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock, within } from '@weir/clock';
import { consumerGroups } from '@weir/contracts';
import type { KafkaSurvey } from '@weir/event-log/kafka';
import type { OpenPipeline } from '@weir/service-kit';
import type { KafkaDeployment } from '../chaos/kafka.ts';
import { type Usage, usageBy } from './processes.ts';

/** `at` in seconds since the load began. Parts that cannot be read at that moment are absent. */
export interface Sample {
  readonly at: number;
  readonly deposits: number;
  readonly processes: Readonly<Record<string, Usage>>;
  /** p99 since the process began or was last asked, in milliseconds. */
  readonly eventLoopMs: Readonly<Record<string, number>>;
  /** Bytes of each table with its indexes. */
  readonly tables: Readonly<Record<string, number>>;
  /** Bytes on disk of the folders of each topic. */
  readonly topics: Readonly<Record<string, number>>;
  readonly walBytes: number | undefined;
}

/** Records, rows and screenings that wait. */
export interface Waiting {
  readonly at: number;
  /** Records by group; empty where the broker was too slow to tell. */
  readonly lag: Readonly<Record<string, number>>;
  /** Stored events that are not published. */
  readonly outbox: number;
  /** Screenings without a decision, and seconds since the oldest of them was requested. */
  readonly undecided: number;
  readonly oldestSeconds: number;
  /** Screenings whose lookup has no result. */
  readonly unanswered: number;
}

const readLimitMs = 60_000;
/** Offsets of the groups and of the topics are read one after the other, so that a slow broker would show lag of nobody's. */
const lagLimitMs = 5_000;
const scrapeLimitMs = 5_000;

export async function sample(
  deployment: KafkaDeployment,
  pipeline: OpenPipeline,
  { at, deposits }: Pick<Sample, 'at' | 'deposits'>,
): Promise<Sample> {
  const replicas = deployment.replicas();
  const processes = usageBy(new Map([['soak', process.pid], ...replicas.map(({ name, pid }) => [name, pid] as const)]));
  const [sizes, ...lags] = await Promise.all([
    within(systemClock, readLimitMs, tableSizes(pipeline)).catch(() => undefined),
    ...replicas.map(async ({ name, url }) => [name, await eventLoopOf(url).catch(() => undefined)] as const),
  ]);
  const eventLoopMs = Object.fromEntries(lags.filter((lag): lag is readonly [string, number] => lag[1] !== undefined));
  const { tables = {}, walBytes } = sizes ?? {};
  return { at, deposits, processes, eventLoopMs, tables, topics: topicSizes(deployment.brokerData), walBytes };
}

/** Rejects while the database or the broker is away. */
export function waiting(pipeline: OpenPipeline, survey: KafkaSurvey, at: number): Promise<Waiting> {
  return within(systemClock, readLimitMs, async () => {
    const began = performance.now();
    const asked = survey.groups(consumerGroups).then((groups) => (performance.now() - began > lagLimitMs ? [] : groups));
    const [groups, { rows }] = await Promise.all([
      asked,
      pipeline.pool.query<{ outbox: string; undecided: string; oldest: string | null; unanswered: string }>(`
        SELECT (SELECT count(*) FROM outbox.events WHERE NOT published) AS outbox, count(*) AS undecided,
          extract(epoch FROM now() - min(requested_at)) AS oldest,
          (SELECT count(*) FROM scoring.screenings WHERE state <> 'answered') AS unanswered
        FROM decision.screenings WHERE revision = 0`),
    ]);
    const [row] = rows;
    return {
      at,
      lag: Object.fromEntries(groups.map(({ name, lag }) => [name, Number(lag)])),
      outbox: Number(row?.outbox),
      undecided: Number(row?.undecided),
      oldestSeconds: Math.max(Number(row?.oldest ?? 0), 0),
      unanswered: Number(row?.unanswered),
    };
  });
}

async function tableSizes({ pool }: OpenPipeline): Promise<{ tables: Record<string, number>; walBytes: number }> {
  const { rows } = await pool.query<{ name: string; bytes: string }>(
    `SELECT schemaname || '.' || relname AS name, pg_total_relation_size(relid) AS bytes FROM pg_stat_user_tables`,
  );
  const wal = await pool.query<{ bytes: string }>('SELECT coalesce(sum(size), 0) AS bytes FROM pg_ls_waldir()');
  return { tables: Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)])), walBytes: Number(wal.rows[0]?.bytes) };
}

async function eventLoopOf(url: string): Promise<number | undefined> {
  const answer = await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(scrapeLimitMs) });
  const seconds = /^nodejs_eventloop_lag_p99_seconds(?:\{[^}]*\})? (\S+)/m.exec(await answer.text())?.[1];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

function topicSizes(folder: string): Record<string, number> {
  const sizes: Record<string, number> = {};
  for (const entry of entriesOf(folder)) {
    const topic = /^(.+)-\d+$/.exec(entry.name)?.[1];
    if (!entry.isDirectory() || topic === undefined) continue;
    const bytes = entriesOf(join(folder, entry.name)).reduce((sum, file) => sum + bytesOf(join(folder, entry.name, file.name)), 0);
    sizes[topic] = (sizes[topic] ?? 0) + bytes;
  }
  return sizes;
}

/** A segment may be removed meanwhile. */
function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

/** Indexes of a segment are sparse. */
function bytesOf(file: string): number {
  try {
    return statSync(file).blocks * 512;
  } catch {
    return 0;
  }
}
