/**
 * `node test/bench/known-answers.ts`: finds known results and open lookups in PostgreSQL and in Redis, for the figures in
 * docs/decisions/0013. Each batch runs on both in turn, so that load on the machine affects both.
 */
import { randomUUID } from 'node:crypto';
import { systemClock } from '@weir/clock';
import type { ScreeningRequested } from '@weir/contracts';
import { requested } from '@weir/contracts/testing';
import { migrate, type Pool } from '@weir/postgres';
import { createTestDatabase, startTestServer } from '@weir/postgres/testing';
import { connectRedis } from '@weir/redis';
import { LocalLists } from '@weir/chain-store/sanctions';
import { createChainSchema } from '@weir/chain-store/testing';
import { createLogger, openPipeline, Outbox } from '@weir/service-kit';
import { admit } from '../../services/scoring/src/admit.ts';
import type { FindPrices } from '../../services/scoring/src/prices.ts';
import type { Result } from '../../services/scoring/src/result.ts';
import { scoringMigrations } from '../../services/scoring/src/migrations.ts';
import { startRedis } from '../support/stack/redis.ts';
import { median } from './line.ts';

const known = 50_000;
const rounds = 60;
const evidence = JSON.stringify({ success: true, msg: '', data: { padding: 'x'.repeat(1_500) } });

const answer: Result = {
  outcome: 'SCORED',
  reasons: [],
  score: 3,
  risk_level: 'Low',
  detail_list: [],
  risk_detail: [],
  illicit_usd: null,
  address_label: '',
  hacking_event: '',
  provider: 'bench',
  scanned_ts: 1,
  evidence,
  evidence_sha256: 'a'.repeat(64),
};
const subject = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
const redisKey = (n: number): string => `known:ethereum:${subject(n)}:deposit`;

function requestFor(n: number): ScreeningRequested {
  const sourceId = randomUUID();
  const now = systemClock.now();
  const { transfer } = requested(sourceId);
  return requested(sourceId, {
    requested_at: now,
    deadline_at: now + 600_000,
    transfer: { ...transfer, from_address: subject(n), to_address: subject(0), usd_value: null, occurred_at: now },
  });
}

/** Adds up the time of statements by table. */
function timed(pool: Pool, took: Map<string, number>): Pool {
  const connect = async () => {
    const client = await pool.connect();
    const query = async (asked: string | { text: string }) => {
      const text = typeof asked === 'string' ? asked : asked.text;
      const begin = systemClock.monotonic();
      const result = await client.query(asked);
      const name = /scoring\.results|scoring\.lookups|chain\.labels|^COMMIT/.exec(text)?.[0] ?? 'others';
      took.set(name, (took.get(name) ?? 0) + systemClock.monotonic() - begin);
      return result;
    };
    return new Proxy(client, { get: (target, name) => (name === 'query' ? query : bound(target, name)) });
  };
  return new Proxy(pool, { get: (target, name) => (name === 'connect' ? connect : bound(target, name)) });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}

const stopServer = await startTestServer();
const [database, server] = [await createTestDatabase(), await startRedis({ own: true })];
const logger = createLogger({ service: 'bench', level: 'silent' });
const pipeline = await openPipeline({ databaseUrl: database.url, clock: systemClock, logger, retentionMs: 3_600_000 });
const redis = await connectRedis({ url: server.url, clock: systemClock });
try {
  await migrate(pipeline.pool, 'scoring', scoringMigrations);
  await pipeline.pool.query(
    `INSERT INTO scoring.results SELECT 'ethereum', '0x' || lpad(to_hex(n), 40, '0'), 'deposit', $1, now() + interval '1 day' FROM generate_series(1, $2) n`,
    [JSON.stringify(answer), known],
  );
  await createChainSchema(pipeline.pool);
  await pipeline.pool.query(
    `INSERT INTO chain.labels SELECT 'ethereum', '0x' || lpad(to_hex(2 * n), 40, '0'), 'Somebody', 'exchange', 'bench', NULL, NULL, 0.9 FROM generate_series(1, $1) n`,
    [2 * known],
  );
  await pipeline.pool.query('ANALYZE scoring.results, chain.labels');
  for (let n = 1; n <= known; n += 1_000) {
    await redis.mset(Array.from({ length: 1_000 }, (_, i) => [redisKey(n + i), JSON.stringify(answer)]).flat());
  }
  for (const size of [1, 20, 200]) await measure(size);
} finally {
  redis.disconnect();
  await server.stop();
  await pipeline.close();
  await database.drop();
  await stopServer();
}

async function measure(size: number): Promise<void> {
  const outbox = new Outbox({ pool: pipeline.pool, log: pipeline.log, codec: pipeline.codec, service: 'scoring' });
  const lists = new LocalLists();
  const rows: Record<string, number[]> = {};
  const note = (name: string, ms: number): void => void (rows[name] ??= []).push(ms);
  const run = async (name: string, first: number): Promise<void> => {
    const took = new Map<string, number>();
    const requests = Array.from({ length: size }, (_, i) => requestFor(first + i));
    const begin = systemClock.monotonic();
    const deps = {
      outbox,
      lists,
      provider: 'bench',
      factsOf: () => ({}),
      prices: {
        finderFor: (): FindPrices => (asked) => asked.map(() => ({ known_usd_price: null, price_day: null, isUnanswered: false })),
      },
      reuse: { freshResultFromUsd: 10_000, freshResultForUnknownValue: false },
    };
    const ran = await pipeline.stages.run({ ...pipeline, pool: timed(pipeline.pool, took) }, outbox, (tx, batch) =>
      admit(tx, deps, requests, { now: systemClock.now(), batch }),
    );
    const { hits, misses } = ran.first;
    note(`${name}, whole transaction`, systemClock.monotonic() - begin);
    if (hits + misses !== size) throw new Error('not what was to be measured');
    for (const [part, ms] of took) note(`${name}, ${part}`, ms);
  };
  for (let round = 0; round < rounds; round += 1) {
    const first = 1 + ((round * size) % (known - size));
    await run('known answers', first);
    await run('new questions', known + 1 + round * size + size * 1_000_000);
    const keys = Array.from({ length: size }, (_, i) => redisKey(first + i));
    const begin = systemClock.monotonic();
    const found = await redis.mget(keys);
    for (const text of found) JSON.parse(text ?? 'null');
    note('known answers, MGET from Redis', systemClock.monotonic() - begin);
    const claimed = systemClock.monotonic();
    const pipe = redis.pipeline();
    for (const key of keys) pipe.set(`open:${round}:${key}`, '1', 'EX', 60, 'NX');
    await pipe.exec();
    note('new questions, SET NX in Redis', systemClock.monotonic() - claimed);
  }
  for (const [name, all] of Object.entries(rows).toSorted(([a], [b]) => a.localeCompare(b)))
    process.stdout.write(`${String(size).padStart(3)}  ${name.padEnd(40)} ${median(all.slice(5)).toFixed(2)} ms\n`);
}
