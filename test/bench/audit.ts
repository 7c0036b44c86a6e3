import { randomBytes } from 'node:crypto';
import { append, auditMigrations, entryOf, type NewEntry } from '@weir/audit-writer';
import { eventId } from '@weir/contracts';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import { migrate, openPool, startEmbeddedPostgres } from '@weir/postgres';
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
  const lines: Line[] = [
    { name: 'audit: plain inserts of entries', value: plain, unit: 'entries/s' },
    { name: 'audit: entries with leaves', value: leaves, unit: 'entries/s', note: `${ratio.toFixed(2)} of plain inserts` },
    { name: 'audit: storage of the tree', value: median(pairs.map((pair) => pair.bytes)), unit: 'bytes/leaf' },
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
