import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@weir/clock';
import {
  type LabelRow,
  mapRows,
  priced,
  readBlockTimes,
  readLabelFile,
  readPrices,
  readTransferFile,
  type Reader,
  type TransferRow,
} from '@weir/chain-import';
import { publicFile } from '@weir/chain-import/testing';
import { createRiskStore } from '@weir/chain-store';
import { type Assessment, type RiskStore, scoreAddress } from '@weir/risk-engine';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { importChainRecords } from './index.ts';
import { createTestService, get, type Instance, type TestService } from './testing/instance.ts';

// Checks results for real thefts and listings, from public data, through importers, store and engine. Only the price of Ether is invented:
// no series has a clean licence, and shares of one coin do not depend on it.

const today = Date.UTC(2026, 10, 1);

let service: TestService;
let instance: Instance;
beforeEach(async () => {
  service = await createTestService();
  instance = await service.start();
});
afterEach(() => service.stop());

const folder = mkdtempSync(join(tmpdir(), 'weir-cases-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const common = { clock: systemClock, onRejected: () => undefined };

async function importLabels(key: string, read: Reader<LabelRow>): Promise<void> {
  await importChainRecords(service.database.pool, { ...common, kind: 'labels', key, name: key, read });
}

async function importTransfers(key: string, read: Reader<TransferRow>): Promise<void> {
  await importChainRecords(service.database.pool, { ...common, kind: 'transfers', key, name: key, read });
}

const sanctions = (): Promise<void> => importLabels('ofac', readLabelFile(publicFile('labels', 'ofac.csv'), 'ofac'));
const store = (): RiskStore => createRiskStore(service.database.pool);
const scoreOf = (chain: string, address: string, atMs = today): Promise<Assessment> => scoreAddress(store(), chain, address, atMs);

function only<Row>(read: Reader<Row>, keep: (row: Row) => boolean): Reader<Row> {
  return async function* kept(after) {
    for await (const record of read(after)) yield 'rows' in record ? { ...record, rows: record.rows.filter(keep) } : record;
  };
}

describe('the Ronin theft', () => {
  const exploiter = '0x098b716b8aaf21512996dc57eb0615e2383e2f96';

  async function transfers(): Promise<Reader<TransferRow>> {
    const file = join(folder, 'eth.csv');
    const days = Array.from({ length: 400 }, (_, day) => new Date(Date.UTC(2022, 0, 1 + day)).toISOString().slice(0, 10));
    writeFileSync(file, ['date,usd', ...days.map((day) => `${day},3400`)].join('\n'));
    const prices = await readPrices([{ path: file, coin: 'ETH' }]);
    const columns = new Map([
      ['time', 'block_time'],
      ['from_address', 'from'],
      ['to_address', 'to'],
      ['amount', 'total_eth'],
    ]);
    const path = publicFile('transfers', 'ronin_lazarus_dune.csv');
    return mapRows(readTransferFile(path, 'csv', { chain: 'ethereum', coin: 'ETH', source: 'test', columns }), (row) =>
      priced(row, prices),
    );
  }

  it('sent 144,835.998 of 182,163.956 Ether to listed addresses: 79.5086 per cent', async () => {
    await sanctions();
    const sender = new RegExp(`^..${exploiter.slice(2)}$`);
    await importTransfers(
      'ronin',
      only(await transfers(), ({ from_address }) => sender.test(from_address)),
    );
    const { exposures, sides } = await scoreOf('ethereum', exploiter);
    expect(exposures).toMatchObject([
      { side: 'out', entity: 'LAZARUS GROUP', risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1, percent: 79.5086 },
    ]);
    expect((exposures[0]?.volume ?? 0) / 3_400).toBeCloseTo(144_835.998, 2);
    expect(sides.out.direct).toBeCloseTo(144_835.998 / 182_163.956, 6);
    const sent = (await store().flows('ethereum', [exploiter], 'out')).get(exploiter);
    const labels = await store().labelsOf('ethereum', sent?.items.map(({ address }) => address) ?? [], today);
    const listed = sent?.items.filter(({ address }) => labels.has(address)) ?? [];
    expect(listed.reduce((sum, item) => sum + item.transfers, 0)).toBe(7);
  });

  it('makes those who live off it High or worse, though they are on no list', async () => {
    await sanctions();
    await importTransfers('ronin', await transfers());
    const receiver = await scoreOf('ethereum', '0x5b0431365ce1ab3693bea6f33ae67653dd30d8bd');
    expect(receiver.labels).toEqual([]);
    expect(receiver.detail_list).toContain('Interact With Malicious Address');
    expect(['High', 'Severe']).toContain(receiver.level);
  });
});

describe('the LI.FI theft', () => {
  it("led its exploiter's money to the router of Tornado Cash, at four hops on the main path", async () => {
    const [router, exploiter] = ['0xd90e2f925da726b50c4ed8d0fb90ad053324f31b', '0x8b3cb6bf982798fba233bca56749e22eec42dcf3'];
    const tags = readLabelFile(publicFile('labels', 'graphsense_core.csv'), 'graphsense-csv');
    await importLabels(
      'router',
      only(tags, ({ address }) => address.toLowerCase() === router),
    );
    const columns = new Map([
      ['time', 'Timestamp'],
      ['txid', 'Tx_hash'],
      ['from_address', 'From'],
      ['to_address', 'To'],
      ['usd_value', 'Value_in_USD'],
    ]);
    const path = publicFile('transfers', 'mftracer_LIFI', 'LIFI.csv');
    await importTransfers('lifi', readTransferFile(path, 'csv', { chain: 'ethereum', coin: 'ETH', source: 'test', columns }));
    const mixersOf = async () => {
      const { exposures } = await scoreOf('ethereum', exploiter);
      return exposures.filter(({ risk_type }) => risk_type === 'mixer');
    };
    const mixers = await mixersOf();
    expect(mixers).toMatchObject([{ side: 'out', entity: 'tornado.cash', exposure_type: 'indirect', hop_num: 4 }]);
    expect(mixers[0]?.percent).toBeGreaterThan(0);
    expect(Object.keys(mixers[0]?.hop_dic ?? {})).toEqual(['1', '2', '3', '4']);
    // The money really went there, in the order of time.
    const way = mixers[0]?.path ?? [];
    expect([way[0]?.from, way.at(-1)?.to]).toEqual([exploiter, router]);
    way.slice(1).forEach(({ from, at }, index) => expect([from, at >= (way[index]?.at ?? Infinity)]).toEqual([way[index]?.to, true]));
    // With all tags more of it ends there, through the mixer's own helper contract, and stays one line.
    await importLabels('tags', tags);
    const all = await mixersOf();
    expect(all).toMatchObject([{ side: 'out', entity: 'tornado.cash', exposure_type: 'indirect' }]);
    expect(all[0]?.percent).toBeGreaterThan(mixers[0]?.percent ?? 100);
  });
});

it('a delisted address is not sanctioned today, and was on 2023-01-01', async () => {
  await sanctions();
  const router = '0xd90e2f925da726b50c4ed8d0fb90ad053324f31b';
  expect(await scoreOf('ethereum', router)).toMatchObject({ score: 3, level: 'Low', labels: [], coverage: 'none' });
  const then = await scoreOf('ethereum', router, Date.UTC(2023, 0, 1));
  expect(then).toMatchObject({ score: 100, level: 'Severe', detail_list: ['Sanctioned Entity'], coverage: 'labels' });
});

it('who is sanctioned on Ethereum is on every chain where the same key holds the address', async () => {
  await sanctions();
  for (const chain of ['bsc', 'polygon', 'base'])
    expect(await scoreOf(chain, '0x098b716b8aaf21512996dc57eb0615e2383e2f96')).toMatchObject({
      score: 100,
      address_label: 'LAZARUS GROUP',
    });
});

it('TRON: USDT and TRX give the same score, one computation for both', async () => {
  await sanctions();
  const block = (table: string): string => publicFile('transfers', `tron_block_50000011_${table}`);
  await importTransfers('tron', readTransferFile(block('transfers.csv'), 'tron-etl', { chain: 'tron', source: 'test' }));
  const { rows } = await service.database.pool.query<{ address: string }>(
    `SELECT address FROM chain.edges WHERE chain = 'tron' GROUP BY address ORDER BY count(*) DESC, address LIMIT 3`,
  );
  const listed = 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F';
  const apiKey = await service.key({ surface: 'standard' });
  expect(rows).toHaveLength(3);
  for (const address of [listed, ...rows.map((row) => row.address)]) {
    const [trx, usdt] = await Promise.all(
      ['TRX', 'USDT-TRC20'].map((coin) => get(`${instance.url}/v2/risk_score`, { coin, address, api_key: apiKey })),
    );
    const { risk_report_url: _, ...data } = trx?.body?.data ?? {};
    expect(trx?.body).toMatchObject({ success: true, data: { coverage: address === listed ? 'labels' : 'transfers' } });
    expect(usdt?.body.data).toMatchObject(data);
  }
  const runs = await service.database.pool.query(`SELECT FROM risk.runs`);
  expect(runs.rowCount).toBe(4);
});

it('the zero address and token contracts are no counterparties', async () => {
  const zero = '0x0000000000000000000000000000000000000000';
  const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
  const block = (name: string): string => publicFile('transfers', 'eth_blocks_17173049_17173050', name);
  await importLabels('bad', async function* labels() {
    const row = { chain: 'ethereum', category: 'theft', valid_from: null, valid_to: null, confidence: 1, source: 'test' };
    yield { number: 1, rows: [{ ...row, address: zero, name: 'nobody' }] };
    // The contract of USDC, as a public token list has it.
    yield { number: 2, rows: [{ ...row, address: usdc, name: 'USDC', category: 'token' }] };
  });
  const blockTime = await readBlockTimes([block('blocks.json')]);
  const options = { chain: 'ethereum', source: 'test', blockTime } as const;
  await importTransfers('tokens', readTransferFile(block('token_transfers.json'), 'ethereum-etl', options));
  const { rows } = await service.database.pool.query<{ transfers: number; edges: number }>(
    `SELECT (SELECT count(*)::int FROM chain.transfers WHERE $1 IN (from_address, to_address)) AS transfers,
       (SELECT count(*)::int FROM chain.edges WHERE $1 IN (address, peer)) AS edges`,
    [zero],
  );
  // Minted and burnt in those two blocks, and part of nobody's flows.
  expect(rows[0]?.transfers).toBeGreaterThan(0);
  expect(rows[0]?.edges).toBe(0);

  // Somebody paid into the contract of USDC, and was paid by a risky address: the whole exposure is with the latter.
  const [somebody, thief] = [`0x${'5'.repeat(40)}`, `0x${'6'.repeat(40)}`];
  const row = { chain: 'ethereum', coin: 'ETH', amount: '1', usd_value: '1', time: '2024-01-01', source: 'test', position: 0 };
  await importTransfers('two', async function* transfers() {
    yield { number: 1, rows: [{ ...row, txid: `0x${'1'.repeat(64)}`, from_address: somebody, to_address: usdc }] };
    yield { number: 2, rows: [{ ...row, txid: `0x${'2'.repeat(64)}`, from_address: thief, to_address: somebody }] };
    yield { number: 3, rows: [{ ...row, txid: `0x${'3'.repeat(64)}`, from_address: zero, to_address: somebody }] };
  });
  const { exposures, score, coverage } = await scoreOf('ethereum', somebody);
  expect({ score, exposures, coverage }).toEqual({ score: 3, exposures: [], coverage: 'transfers' });
  await importLabels('thief', async function* labels() {
    yield {
      number: 1,
      rows: [
        {
          chain: 'ethereum',
          address: thief,
          name: 'Thief',
          category: 'theft',
          valid_from: null,
          valid_to: null,
          confidence: 1,
          source: 'test',
        },
      ],
    };
  });
  expect((await scoreOf('ethereum', somebody)).exposures).toMatchObject([{ entity: 'Thief', percent: 100 }]);
});
