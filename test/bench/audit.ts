import { randomBytes } from 'node:crypto';
import { appendLeaves, type Frontier } from '@weir/audit-log';
import { append, auditMigrations, EntryProver, entryOf, type NewEntry, verifyStored } from '@weir/audit-writer';
import { eventId } from '@weir/contracts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { migrate, openPool, type Pool, startEmbeddedPostgres } from '@weir/postgres';
import { seededRandom } from '../support/stack/random.ts';
import { type Line, median } from './line.ts';

const total = 50_000;
const batch = 500;
const valueBytes = 600;
const runs = 3;

/** Entries with leaves, next to inserts of the same rows into a table with the same indexes. */
export async function benchAudit(print: (line: Line) => void): Promise<Line[]> {
  const pairs: { plain: number; leaves: number; bytes: number }[] = [];
  for (let run = 0; run < runs; run += 1) pairs.push(await measurePair());
  const plain = median(pairs.map((pair) => pair.plain));
  const leaves = median(pairs.map((pair) => pair.leaves));
  const ratio = median(pairs.map((pair) => pair.leaves / pair.plain));
  const grown = await measureGrown();
  const lines: Line[] = [
    { name: 'audit: plain inserts of entries', value: plain, unit: 'entries/s' },
    { name: 'audit: entries with leaves', value: leaves, unit: 'entries/s', note: `${ratio.toFixed(2)} of plain inserts` },
    { name: 'audit: storage of the tree', value: median(pairs.map((pair) => pair.bytes)), unit: 'bytes/leaf' },
    { name: 'audit: proof of one entry, 10^7 leaves, p50', value: grown.p50, unit: 'ms', note: `p99 ${grown.p99.toFixed(1)} ms` },
    { name: 'audit: entries that weir audit verify reads', value: grown.verified, unit: 'entries/s' },
  ];
  for (const line of lines) print(line);
  return lines;
}

async function measurePair(): Promise<{ plain: number; leaves: number; bytes: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const pool = openPool({ url: server.url });
  try {
    await migrate(pool, 'audit', auditMigrations);
    await pool.query('CREATE TABLE audit.plain (LIKE audit.entries INCLUDING ALL)');
    const batches = Array.from({ length: total / batch }, (_, b) => Array.from({ length: batch }, (__, n) => entry(b * batch + n)));
    const plain = await rate(batches, (entries, b) => pool.query(insertPlain, columnsOf(entries, b * batch)));
    const leaves = await rate(batches, (entries) => append(pool, entries, randomBytes));
    const { rows } = await pool.query<{ bytes: bigint }>(
      "SELECT pg_total_relation_size('audit.leaves') + pg_total_relation_size('audit.nodes') AS bytes",
    );
    return { plain, leaves, bytes: Number(rows[0]?.bytes) / total };
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

/** Leaves of the large tree. Only those that are proved have entries: proofs read nothing else of the others. */
const largeTree = 10_000_000;
const leavesAtOnce = 50_000;
const proofs = 500;

/** Proofs in a large tree, each with its database reads and with a prover of its own; and the rate at which the rows of a log verify. */
async function measureGrown(): Promise<{ p50: number; p99: number; verified: number }> {
  const dataDir = mkdtempSync(join(tmpdir(), 'weir-bench-'));
  const server = await startEmbeddedPostgres({ dataDir, clock: systemClock });
  const pool = openPool({ url: server.url });
  try {
    await migrate(pool, 'audit', auditMigrations);
    for (let first = 0; first < total; first += batch)
      await append(
        pool,
        Array.from({ length: batch }, (_, n) => entry(first + n)),
        randomBytes,
      );
    const verified = await verifyRate(pool);
    await grow(pool);
    const random = seededRandom(20_261);
    const times: number[] = [];
    for (let n = 0; n < proofs; n += 1) {
      const index = Math.floor(random() * largeTree);
      const began = performance.now();
      await new EntryProver(pool, largeTree).prove(index);
      times.push(performance.now() - began);
    }
    times.sort((a, b) => a - b);
    return { p50: times[Math.floor(proofs / 2)] ?? 0, p99: times[Math.floor(proofs * 0.99)] ?? 0, verified };
  } finally {
    await pool.end();
    await server.stop();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function verifyRate(pool: Pool): Promise<number> {
  const problems: string[] = [];
  const began = performance.now();
  await verifyStored(pool, { sizes: [], onProblem: (text) => problems.push(text) });
  if (problems.length > 0) throw new Error(`the log does not verify: ${problems[0]}`);
  return total / ((performance.now() - began) / 1_000);
}

/** Random leaves on top of the log, as the writer stores them. */
async function grow(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ hashes: Buffer[] }>('SELECT frontier AS hashes FROM audit.tree');
  let frontier: Frontier = { size: total, hashes: rows[0]?.hashes ?? [] };
  while (frontier.size < largeTree) {
    const count = Math.min(leavesAtOnce, largeTree - frontier.size);
    const bytes = randomBytes(count * 32);
    const leaves = Array.from({ length: count }, (_, n) => bytes.subarray(n * 32, (n + 1) * 32));
    // Rows of the size that the writer makes, because a proof reads a part of a row.
    for (let at = 0; at < count; at += batch) {
      const width = Math.min(batch, count - at);
      await pool.query('INSERT INTO audit.leaves (first, salts, commitments, hashes) VALUES ($1, $2, $3, $3)', [
        frontier.size + at,
        Buffer.alloc(width * 16),
        bytes.subarray(at * 32, (at + width) * 32),
      ]);
    }
    const grown = appendLeaves(frontier, leaves);
    await pool.query('INSERT INTO audit.nodes (level, index, hash) SELECT * FROM unnest($1::smallint[], $2::bigint[], $3::bytea[])', [
      grown.nodes.map(({ level }) => level),
      grown.nodes.map(({ index }) => index),
      grown.nodes.map(({ hash }) => hash),
    ]);
    frontier = grown.frontier;
  }
  await pool.query('ANALYZE audit.leaves, audit.nodes');
}

async function rate(batches: readonly NewEntry[][], write: (entries: readonly NewEntry[], n: number) => Promise<unknown>): Promise<number> {
  const began = performance.now();
  for (const [n, entries] of batches.entries()) await write(entries, n);
  return total / ((performance.now() - began) / 1_000);
}

const insertPlain = `INSERT INTO audit.plain (index, event_id, topic, key, value, headers, log_partition, log_offset, event_time, screening_id)
  SELECT $9::bigint + u.n - 1, u.event_id, u.topic, u.key, u.value, u.headers, u.part, u.off, u.time, NULL
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bytea[], $5::jsonb[], $6::int[], $7::bigint[], $8::timestamptz[])
    WITH ORDINALITY AS u(event_id, topic, key, value, headers, part, off, time, n) ORDER BY u.n`;

function columnsOf(entries: readonly NewEntry[], first: number): unknown[] {
  return [
    entries.map((each) => each.eventId),
    entries.map((each) => each.topic),
    entries.map((each) => each.key),
    entries.map((each) => each.value),
    entries.map((each) => JSON.stringify(each.headers)),
    entries.map((each) => each.partition),
    entries.map((each) => each.offset),
    entries.map((each) => new Date(each.time).toISOString()),
    first,
  ];
}

function entry(n: number): NewEntry {
  const id = eventId('bench', n);
  const headers = {
    ce_id: id,
    ce_source: '/weir/decision',
    ce_specversion: '1.0',
    ce_time: new Date(Date.UTC(2026, 0, 1) + n).toISOString(),
    ce_type: 'weir.screenings.decided',
    content_type: 'application/avro',
    traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
  };
  const value = randomBytes(valueBytes);
  return entryOf({ topic: 'screenings.decided', key: `d-${n}`, value, headers, partition: n % 6, offset: BigInt(n), timestamp: 0 });
}
