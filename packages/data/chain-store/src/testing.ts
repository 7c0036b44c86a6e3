import { createHash, randomUUID } from 'node:crypto';
import type { CoSpend, LabelRow, SourceRecord, TransferRow } from '@weir/chain-import';
import { systemClock } from '@weir/clock';
import { migrate, openPool, type Pool, type Queryable } from '@weir/postgres';
import { createTestDatabase, type TestDatabase } from '@weir/postgres/testing';
import {
  importChainRecords as importObserved,
  type ImportObserver,
  type ImportOptions,
  type ImportRun,
  type Loaded,
  loadLabels as loadLabelsObserved,
  loadTransfers as loadTransfersObserved,
  type RecordKind,
} from './index.ts';
import { chainStoreMigrations, chainStoreModule } from './migrations.ts';

export const address = (n: number): string => `0x${n.toString(16).padStart(40, '0')}`;
export const txid = (n: number): string => `0x${n.toString(16).padStart(64, '0')}`;

const base58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

/** Pays to the n-th key hash. */
export function bitcoinAddress(n: number): string {
  const payload = Buffer.from(n.toString(16).padStart(42, '0'), 'hex');
  const check = sha256(sha256(payload)).subarray(0, 4);
  let digits = '';
  for (let rest = BigInt(`0x${Buffer.concat([payload, check]).toString('hex')}`); rest > 0n; rest /= 58n)
    digits = `${base58[Number(rest % 58n)] ?? ''}${digits}`;
  const zeros = payload.findIndex((byte) => byte !== 0);
  return `${'1'.repeat(zeros < 0 ? payload.length : zeros)}${digits}`;
}

function sha256(bytes: Uint8Array): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** Of Bitcoin; the n-th addresses signed it. */
export function coSpend(id: number, ...addresses: readonly number[]): CoSpend {
  return { chain: 'bitcoin', txid: id.toString(16).padStart(64, '0'), addresses: addresses.map(bitcoinAddress), coin_join: null };
}

export const label: LabelRow = {
  chain: 'ethereum',
  address: address(100),
  name: 'Someone',
  category: 'scam',
  valid_from: '2024-01-01',
  valid_to: null,
  confidence: 0.9,
  source: 'test',
};

export const transfer: TransferRow = {
  chain: 'ethereum',
  txid: txid(1),
  position: 0,
  from_address: address(100),
  to_address: address(101),
  coin: 'ETH',
  amount: '1.5',
  usd_value: '3000.25',
  time: '2024-01-01T00:00:00Z',
  source: 'test',
};

export async function* recordsOf<Row>(rows: readonly Row[], after = 0): AsyncGenerator<SourceRecord<Row>> {
  for (const [index, row] of rows.entries()) if (index >= after) yield { number: index + 1, rows: [row] };
}

export function createChainDatabase(): Promise<TestDatabase> {
  return createTestDatabase({
    content: ['chain-store', chainStoreMigrations],
    make: async (url) => {
      const pool = openPool({ url, max: 1 });
      await migrate(pool, chainStoreModule, chainStoreMigrations);
      await pool.end();
    },
  });
}

const factTables = ['labels', 'transfers', 'edges', 'sides', 'address_stats'] as const;

/** The contents of all tables that the importers write, sorted. */
export async function contents(db: Queryable): Promise<unknown> {
  const each = factTables.map((table) => `(SELECT json_agg(t ORDER BY t::text) FROM chain.${table} t) AS ${table}`);
  return (await db.query(`SELECT ${each.join(', ')}`)).rows[0];
}

export async function emptyChain(db: Queryable): Promise<void> {
  await db.query(
    `TRUNCATE chain.import_runs, chain.prices, chain.clusters, chain.cluster_members, chain.cluster_labels, chain.coin_joins, ${factTables.map((table) => `chain.${table}`).join(', ')}`,
  );
}

/** No scores depend on the data. */
export const unobserved: ImportObserver = { labelsStored: async () => undefined, transfersStored: async () => undefined };

export function importChainRecords<K extends RecordKind>(pool: Pool, options: Omit<ImportOptions<K>, 'observer'>): Promise<ImportRun> {
  return importObserved<K>(pool, { ...options, observer: unobserved });
}

export function loadLabels(pool: Pool, rows: Iterable<LabelRow>): Promise<Loaded> {
  return loadLabelsObserved(pool, rows, unobserved);
}

export function loadTransfers(pool: Pool, rows: AsyncIterable<TransferRow> | Iterable<TransferRow>): Promise<Loaded> {
  return loadTransfersObserved(pool, rows, unobserved);
}

/** Each in a record without rows, as a consolidation is. */
export function loadCoSpends(pool: Pool, coSpends: readonly CoSpend[], observer = unobserved): Promise<ImportRun> {
  return importObserved(pool, {
    kind: 'transfers',
    key: randomUUID(),
    name: 'co-spends',
    clock: systemClock,
    onRejected: ({ reason }) => {
      throw new Error(reason);
    },
    observer,
    read: async function* (after) {
      for (const [at, co_spend] of coSpends.entries()) if (at >= after) yield { number: at + 1, rows: [], co_spend };
    },
  });
}

/** The schema with its tables readable by every role. */
export async function createChainSchema(pool: Pool): Promise<void> {
  await migrate(pool, chainStoreModule, chainStoreMigrations);
  await pool.query('GRANT USAGE ON SCHEMA chain TO PUBLIC; GRANT SELECT ON chain.labels, chain.transfers, chain.label_changes TO PUBLIC');
}

export async function putTransfer(db: Queryable, of: { chain?: string; txid: string; from: string; to: string }): Promise<void> {
  await db.query(
    `INSERT INTO chain.transfers (chain, txid, position, from_address, to_address, coin, at, source) VALUES ($1, $2, 0, $3, $4, 'ETH', now(), 'test')`,
    [of.chain ?? 'ethereum', of.txid, of.from, of.to],
  );
}

export interface TestLabel {
  readonly chain?: string;
  readonly address: string;
  readonly category?: string;
  readonly source?: string;
  readonly valid_from?: Date | null;
  readonly valid_to?: Date | null;
  readonly confidence?: number;
}

/** By default a valid sanctions listing on Ethereum. Replaces an equal one. */
export async function putLabel(db: Queryable, given: TestLabel): Promise<void> {
  const { chain = 'ethereum', category = 'sanctioned', source = 'a list', valid_from = null, valid_to = null, confidence = 1 } = given;
  await db.query(
    `INSERT INTO chain.labels (chain, address, name, category, source, valid_from, valid_to, confidence) VALUES ($1, $2, 'Somebody', $3, $4, $5, $6, $7)
     ON CONFLICT (chain, address, source, category, name, valid_from) DO UPDATE SET valid_to = excluded.valid_to, confidence = excluded.confidence`,
    [chain, given.address, category, source, valid_from, valid_to, confidence],
  );
}
