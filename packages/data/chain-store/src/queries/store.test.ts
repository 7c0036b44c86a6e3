import type { LabelRow, TransferRow } from '@weir/chain-import';
import { isNobody } from '@weir/chains';
import { type Queryable, transaction } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import type { RiskStore, Side } from '@weir/risk-engine';
import { memoryStore } from '@weir/risk-engine/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createRiskStore } from '../index.ts';
import { address, createChainDatabase, emptyChain, label, loadLabels, loadTransfers, transfer, txid } from '../testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());
beforeEach(() => emptyChain(database.pool));

interface Facts {
  readonly labels?: readonly LabelRow[];
  readonly transfers?: readonly TransferRow[];
}

async function onPostgres({ labels = [], transfers = [] }: Facts): Promise<RiskStore> {
  await loadTransfers(database.pool, transfers);
  await loadLabels(database.pool, labels);
  return createRiskStore(database.pool);
}

async function inMemory({ labels = [], transfers = [] }: Facts): Promise<RiskStore> {
  const time = (text: string | null): number | null => (text === null ? null : Date.parse(text));
  const somebody = (of: string): string | null => (isNobody('ethereum', of) ? null : of);
  return memoryStore({
    labels: labels
      .filter((row) => somebody(row.address) !== null)
      .map((row) => ({ ...row, valid_from: time(row.valid_from), valid_to: time(row.valid_to) })),
    transfers: transfers.map(({ chain, txid: id, position, coin, from_address, to_address, usd_value, time: at }) => ({
      chain,
      txid: id ?? '',
      position,
      coin,
      at: Date.parse(at),
      from: somebody(from_address),
      to: somebody(to_address),
      usd: usd_value === null ? null : Number(usd_value),
    })),
  });
}

const subject = address(100);
const atMs = Date.UTC(2025, 0, 1);
/** The nth of a list of transfers of different transactions. */
const nth = (n: number, row: Partial<TransferRow>): TransferRow => ({ ...transfer, txid: txid(n + 1), ...row });

describe.each([
  ['on PostgreSQL', onPostgres],
  ['in memory', inMemory],
])('a store %s', (_where, storeOf) => {
  it('gives the labels valid at a moment: from the first instant, until before the last', async () => {
    const store = await storeOf({ labels: [{ ...label, valid_from: '2024-01-01', valid_to: '2024-06-01' }] });
    const at = async (text: string): Promise<number> =>
      (await store.labelsOf('ethereum', [subject], Date.parse(text))).get(subject)?.length ?? 0;
    expect([await at('2023-12-31'), await at('2024-01-01'), await at('2024-05-31'), await at('2024-06-01')]).toEqual([0, 1, 1, 0]);
    expect(await store.labelsOf('bsc', [subject], atMs)).toEqual(new Map());
  });

  it('says of a label how its source knows', async () => {
    const store = await storeOf({ labels: [label, { ...label, source: 'the owner', source_kind: 'owner' }] });
    const known = (await store.labelsOf('ethereum', [subject], atMs)).get(subject) ?? [];
    expect(known.map(({ source, source_kind }) => [source, source_kind])).toEqual([
      ['test', 'curated'],
      ['the owner', 'owner'],
    ]);
  });

  it('tells the two sides apart, with the sum of all', async () => {
    const store = await storeOf({
      transfers: [
        nth(0, { to_address: address(201), usd_value: '1.5' }),
        nth(1, { to_address: address(202), usd_value: '2' }),
        nth(2, { to_address: address(201), usd_value: null }),
        nth(3, { to_address: subject, from_address: address(203), usd_value: '7' }),
      ],
      labels: [201, 203].map((n) => ({ ...label, address: address(n) })),
    });
    const out = { usd: 3.5, transfers: 3, unknownTransfers: 1 };
    expect(await store.flows('ethereum', [subject, address(209)], 'out')).toEqual(
      new Map([[subject, { total: out, items: [{ address: address(201), usd: 1.5, transfers: 2, unknownTransfers: 1 }] }]]),
    );
    expect((await store.flows('ethereum', [subject], 'in')).get(subject)?.items.map((item) => item.address)).toEqual([address(203)]);
  });

  it('lists every labelled counterparty, of whatever time the label is, the largest first', async () => {
    const transfers = Array.from({ length: 20 }, (_, n) => nth(n, { to_address: address(n + 201), usd_value: `${n + 1}` }));
    const labels = [201, 205].map((n) => ({ ...label, address: address(n), valid_to: '2024-02-01' }));
    const store = await storeOf({ transfers, labels });
    const flows = (await store.flows('ethereum', [subject], 'out')).get(subject);
    expect(flows?.items.map((item) => item.address)).toEqual([205, 201].map(address));
    expect(flows?.total).toMatchObject({ usd: 210, transfers: 20 });
  });

  it('knows nobody and oneself as no counterparties', async () => {
    const nobody = address(0);
    const store = await storeOf({
      transfers: [nth(0, { to_address: nobody }), nth(1, { from_address: nobody, to_address: subject }), nth(2, { to_address: subject })],
      labels: [{ ...label, address: nobody }],
    });
    for (const side of ['in', 'out'] as const) expect(await store.flows('ethereum', [subject, nobody], side)).toEqual(new Map());
    expect(await store.labelsOf('ethereum', [nobody], atMs)).toEqual(new Map());
    expect(await store.transfersOf('ethereum', txid(1))).toEqual([
      { from: subject, to: null, usd: 3000.25, at: Date.parse(transfer.time), position: 0, coin: 'ETH' },
    ]);
  });

  it('refuses more addresses than a call may have', async () => {
    const store = await storeOf({});
    await expect(
      store.flows(
        'ethereum',
        Array.from({ length: 2_001 }, (_, n) => address(n)),
        'in',
      ),
    ).rejects.toThrow(RangeError);
    expect(await store.flows('ethereum', [], 'in')).toEqual(new Map());
  });

  it('takes no harm from an address or a chain that cannot be', async () => {
    const store = await storeOf({});
    expect(await store.labelsOf('moon', ['x'], atMs)).toEqual(new Map());
    expect(await store.flows('moon', ['x'], 'in')).toEqual(new Map());
    expect(await store.transfersOf('moon', 'x')).toEqual([]);
  });
});

describe('the store on PostgreSQL', () => {
  it('answers as the one in memory, for any facts', async () => {
    const n = fc.nat(6);
    const transfers = fc.array(fc.record({ tx: n, from: n, to: n, usd: fc.option(fc.nat(8), { nil: null }) }), { maxLength: 40 });
    const labels = fc.uniqueArray(
      fc.record({ of: n, from: fc.constantFrom(null, '2024-01-01'), to: fc.constantFrom(null, '2024-06-01') }),
      {
        maxLength: 6,
        selector: ({ of, from }) => `${of} ${from}`,
      },
    );
    await fc.assert(
      fc.asyncProperty(transfers, labels, fc.constantFrom<Side>('in', 'out'), async (given, labelled, side) => {
        await emptyChain(database.pool);
        const facts = {
          transfers: given.map(({ tx, from, to, usd }, position) => ({
            ...nth(tx, { from_address: address(from), to_address: address(to), usd_value: usd === null ? null : `${usd / 4}` }),
            position,
          })),
          labels: labelled.map(({ of, from, to }) => ({ ...label, address: address(of), valid_from: from, valid_to: to })),
        };
        const [ours, other] = [await onPostgres(facts), await inMemory(facts)];
        const everybody = Array.from({ length: 8 }, (_, i) => address(i));
        expect(await ours.flows('ethereum', everybody, side)).toEqual(await other.flows('ethereum', everybody, side));
        for (const at of ['2023-01-01', '2024-03-01', '2024-07-01']) {
          expect(await ours.labelsOf('ethereum', everybody, Date.parse(at))).toEqual(
            await other.labelsOf('ethereum', everybody, Date.parse(at)),
          );
        }
        expect(legs(await ours.transfersOf('ethereum', txid(1)))).toEqual(legs(await other.transfersOf('ethereum', txid(1))));
      }),
      { numRuns: 60 },
    );
  });

  it('reads of a hub what it returns, and not its edges', async () => {
    const peers = 3_000;
    await loadTransfers(
      database.pool,
      Array.from({ length: peers }, (_, n) => nth(n, { to_address: address(1_000 + n), usd_value: n % 2 === 0 ? null : '5' })),
    );
    await loadLabels(
      database.pool,
      [7, 8].map((n) => ({ ...label, address: address(1_000 + n) })),
    );
    await database.pool.query('ANALYZE chain.edges, chain.sides');
    const read = await transaction(database.pool, async (tx) => {
      // The connection may not have reported its earlier reads yet.
      const before = await rowsRead(tx);
      const flows = (await createRiskStore(tx).flows('ethereum', [subject], 'out')).get(subject);
      expect([flows?.total.transfers, flows?.items.length]).toEqual([peers, 2]);
      return (await rowsRead(tx)) - before;
    });
    expect(read).toBeLessThanOrEqual(10);
  });
});

/** Rows of schema `chain` read by this transaction, from tables and by indexes. */
async function rowsRead(tx: Queryable): Promise<number> {
  const { rows } = await tx.query<{ read: number }>(
    `SELECT sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 AS read FROM pg_stat_xact_user_tables WHERE schemaname = 'chain'`,
  );
  return rows[0]?.read ?? Number.NaN;
}

function legs(all: readonly unknown[]): string[] {
  return all.map((leg) => JSON.stringify(leg)).sort();
}

it('a sanctions listing counts on every EVM chain, once; any other label on its own chain', async () => {
  const listed = { ...label, category: 'sanctioned', source: 'a list' };
  const store = await onPostgres({
    labels: [listed, { ...listed, chain: 'polygon' }, { ...label, category: 'exchange', name: 'An exchange' }],
  });
  const on = async (chain: string): Promise<string[]> =>
    ((await store.labelsOf(chain, [label.address], atMs)).get(label.address) ?? []).map(({ category }) => category).sort();
  expect(await on('ethereum')).toEqual(['exchange', 'sanctioned']);
  expect(await on('polygon')).toEqual(['sanctioned']);
  expect(await on('base')).toEqual(['sanctioned']);
  expect(await on('tron')).toEqual([]);
});

it('the key of the draw is 32 bytes, and the same for every process', async () => {
  const key = await createRiskStore(database.pool).drawKey();
  expect(key).toHaveLength(32);
  expect(await createRiskStore(database.pool).drawKey()).toEqual(key);
});
