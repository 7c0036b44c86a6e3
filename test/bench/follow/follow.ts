import { type ChildProcess, fork } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startChainFollower } from '@weir/chain-follower';
import { chainFollowerSchema, type FollowerSettings } from '@weir/chain-follower/config';
import { readRange, openNode } from '@weir/chain-import';
import { findWatched, readFollowedChain, watchAddresses } from '@weir/chain-store';
import { importChainRecords } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import { migrateDatabase } from '@weir/installation/services';
import { openPool, type Pool, startEmbeddedPostgres } from '@weir/postgres';
import { migrateRiskApi } from '@weir/risk-api';
import { createLogger, createMetrics, loadConfig, openPipeline } from '@weir/service-kit';
import { type Line, median } from '../line.ts';
import { usageOfTree } from '../processes.ts';

const perBlock = 100;
const hourMs = 3_600_000;
const polls = 40;

/** Back-fill of the same chain by the follower and by the importer, each into an empty database; and the requests of an idle follower. */
export async function benchFollow(transfers: number, print: (line: Line) => void): Promise<Line[]> {
  const child = fork(join(import.meta.dirname, 'node-process.ts'), [String(transfers), String(perBlock)]);
  const [{ url, head }] = (await once(child, 'message')) as [{ url: string; head: number }];
  try {
    const imported = await onEmptyDatabase((pool) => importAll(pool, url, head));
    const { idle, ...followed } = await onEmptyDatabase((pool) => followAll(pool, { child, url, head }));
    const line = (name: string, { seconds, cpu }: Measured, note: string): Line => ({
      name,
      value: head / seconds,
      unit: 'blocks/s',
      note: `${(transfers / seconds).toFixed(0)} transfers/s, CPU a transfer ${((cpu / transfers) * 1e6).toFixed(0)} µs${note}`,
    });
    const lines: Line[] = [
      line(`import of ${transfers} transfers from a node`, imported, ''),
      line('the same blocks followed', followed, `; at ${(imported.seconds / followed.seconds).toFixed(2)} of the import`),
      { name: 'requests of an idle chain and node', value: idle, unit: '/h' },
      ...(await onEmptyDatabase(measureWatched)),
    ];
    lines.forEach(print);
    return lines;
  } finally {
    child.disconnect();
  }
}

interface Measured {
  readonly seconds: number;
  /** Of Node.js and PostgreSQL. */
  readonly cpu: number;
}

async function onEmptyDatabase<T>(work: (pool: Pool) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-follow-'));
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const pool = openPool({ url: server.url, statementTimeoutMs: 600_000 });
  try {
    await migrateRiskApi(pool);
    return await work(pool);
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** The node's own process is not measured. */
async function measured(work: () => Promise<void>): Promise<Measured> {
  const cpuOf = (): number => process.cpuUsage().user + process.cpuUsage().system;
  const database = (): number => usageOfTree(process.pid).postgres.cpuSeconds;
  const [own, before, began] = [cpuOf(), database(), performance.now()];
  await work();
  return { seconds: (performance.now() - began) / 1_000, cpu: (cpuOf() - own) / 1e6 + database() - before };
}

function importAll(pool: Pool, url: string, head: number): Promise<Measured> {
  return measured(async () => {
    const node = await openNode(url, {});
    const scope = { chain: 'ethereum', source: 'node' } as const;
    await importChainRecords(pool, {
      kind: 'transfers',
      key: 'bench',
      name: 'bench',
      clock: systemClock,
      onRejected: ({ reason }) => {
        throw new Error(reason);
      },
      read: readRange(node, scope, { from: 1, to: head }),
    });
  });
}

async function followAll(
  pool: Pool,
  { child, url, head }: { child: ChildProcess; url: string; head: number },
): Promise<Measured & { idle: number }> {
  const settings = loadConfig<FollowerSettings>(
    chainFollowerSchema,
    {},
    {
      chainNodes: `ethereum=${url}`,
      chainFirstBlocks: 'ethereum=1',
      chainConfirmations: 'ethereum=0',
      chainPollMs: 100,
      chainTraces: false,
      nodeRequestsPerSecond: 10_000,
    },
  );
  const logger = createLogger({ service: 'bench', level: 'warn' });
  let service: Awaited<ReturnType<typeof startChainFollower>> | undefined;
  await migrateDatabase(pool.url, { clock: systemClock, logger });
  const pipeline = await openPipeline({ databaseUrl: pool.url, clock: systemClock, logger, retentionMs: hourMs });
  const found = await measured(async () => {
    service = await startChainFollower({ ...pipeline, pool, metrics: createMetrics() }, settings);
    while ((await readFollowedChain(pool, 'ethereum'))?.height !== head) await systemClock.sleep(50);
  });
  // By the number of polls, so that it does not depend on their pause.
  await systemClock.sleep(settings.chainPollMs * 2);
  const before = await count(child);
  const seen = async (): Promise<number> => (await readFollowedChain(pool, 'ethereum'))?.caughtUpAt?.getTime() ?? 0;
  let last = await seen();
  for (let n = 0; n < polls; ) {
    const now = await seen();
    if (now !== last) n += 1;
    last = now;
    await systemClock.sleep(5);
  }
  const asked = (await count(child)) - before;
  await service?.stop();
  await pipeline.close();
  const everyMs = loadConfig<FollowerSettings>(chainFollowerSchema, {}, {}).chainPollMs;
  return { ...found, idle: (asked / polls) * (hourMs / everyMs) };
}

const watchedAddresses = 1_000_000;
const ofABlock = 250;

/** A block of 250 addresses among 1,000,000 watched ones, of which one is in the block. */
async function measureWatched(pool: Pool): Promise<Line[]> {
  const addressOf = (n: number): string => `0x${createHash('sha256').update(String(n)).digest('hex').slice(0, 40)}`;
  for (let at = 0; at < watchedAddresses; at += 10_000) {
    const some = Array.from({ length: 10_000 }, (_, n) => ({
      chain: 'ethereum' as const,
      address: addressOf(at + n),
      userId: null,
      since: new Date(0),
    }));
    await watchAddresses(pool, some);
  }
  await pool.query('ANALYZE chain.watched');
  const times: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    const block = Array.from({ length: ofABlock }, (_, n) => addressOf(n === 0 ? round : watchedAddresses + round * ofABlock + n));
    const began = performance.now();
    const found = await findWatched(pool, 'ethereum', block);
    times.push(performance.now() - began);
    if (found.size !== 1) throw new Error(`${found.size} watched addresses instead of one`);
  }
  const { rows } = await pool.query<{ bytes: number }>(`SELECT pg_total_relation_size('chain.watched')::float8 AS bytes`);
  return [
    {
      name: 'a block of 250 addresses among 10^6 watched',
      value: median(times),
      unit: 'ms',
      note: `${((rows[0]?.bytes ?? 0) / 2 ** 20).toFixed(0)} MB on disk, none in the process`,
    },
  ];
}

async function count(child: ChildProcess): Promise<number> {
  child.send('count');
  const [{ asked }] = (await once(child, 'message')) as [{ asked: number }];
  return asked;
}
