import { createHash } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { findCoin, isNobody, parseAddress, parseAmount, parseTxid } from '@weir/chains';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  type SampleDeposit,
  type SampleLabel,
  type SampleTransfer,
  sampleDeposits,
  sampleLabels,
  sampleTransfers,
  sampleVersion,
} from './index.ts';

const files = ['labels.csv', 'transfers.csv', 'deposits.csv'].map((name) => new URL(`../data/${name}`, import.meta.url));
let labels: SampleLabel[];
let transfers: SampleTransfer[];
let deposits: SampleDeposit[];

async function collect<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const row of rows) all.push(row);
  return all;
}

/** Lists the offending rows: an empty list reads better in a failure than a thousand single checks. */
function breaking<T>(rows: readonly T[], holds: (row: T) => boolean): T[] {
  return rows.filter((row) => !holds(row));
}

function duplicates(keys: readonly string[]): string[] {
  const seen = new Set<string>();
  return keys.filter((key) => seen.has(key) || !seen.add(key));
}

const isTime = (text: string): boolean => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(text) && !Number.isNaN(Date.parse(text));
const isDate = (text: string | null): boolean => text === null || (/^\d{4}-\d\d-\d\d$/.test(text) && !Number.isNaN(Date.parse(text)));
const isAmount = (text: string | null): boolean => text === null || parseAmount(text) === text;
const labelsOf = (address: string): SampleLabel[] => labels.filter((label) => label.address === address);

beforeAll(async () => {
  [labels, transfers, deposits] = await Promise.all([collect(sampleLabels()), collect(sampleTransfers()), collect(sampleDeposits())]);
});

describe('the files', () => {
  it('stay under 400 kB together', () => {
    expect(files.reduce((sum, file) => sum + statSync(file).size, 0)).toBeLessThan(400_000);
  });

  it('are what the version says', () => {
    const hash = createHash('sha256');
    for (const file of files) hash.update(readFileSync(file));
    expect(sampleVersion).toBe(hash.digest('hex'));
  });

  it('name a source in every row', () => {
    expect(labels.length).toBeGreaterThan(400);
    expect(transfers.length).toBeGreaterThan(1000);
    expect(breaking([...labels, ...transfers, ...deposits], (row) => row.source.trim() === row.source && row.source.length > 5)).toEqual(
      [],
    );
  });

  it('hold normalised addresses and transaction ids only', () => {
    expect(breaking(labels, (row) => parseAddress(row.chain, row.address) === row.address)).toEqual([]);
    for (const rows of [transfers, deposits]) {
      const normalised = (row: SampleTransfer | SampleDeposit): boolean =>
        [row.from_address, row.to_address].every((address) => parseAddress(row.chain, address) === address) &&
        (row.txid === null || parseTxid(row.chain, row.txid) === row.txid);
      expect(breaking<SampleTransfer | SampleDeposit>(rows, normalised)).toEqual([]);
    }
  });
});

describe('labels', () => {
  it('say one thing of one kind about an address, with dates in order and a confidence', () => {
    expect(duplicates(labels.map((row) => `${row.chain} ${row.address} ${row.category}`))).toEqual([]);
    expect(breaking(labels, (row) => isDate(row.valid_from) && isDate(row.valid_to))).toEqual([]);
    expect(breaking(labels, (row) => row.valid_to === null || (row.valid_from ?? '') < row.valid_to)).toEqual([]);
    expect(breaking(labels, (row) => row.confidence > 0 && row.confidence <= 1)).toEqual([]);
    expect(breaking(labels, (row) => !isNobody(row.chain, row.address))).toEqual([]);
  });

  it('cover every category', () => {
    const count = (category: string): number => labels.filter((row) => row.category === category).length;
    for (const category of 'sanctioned mixer exchange bridge defi gambling phishing theft ransom scam darknet service token ordinary risk_exchange'.split(
      ' ',
    )) {
      expect(count(category), category).toBeGreaterThanOrEqual(5);
    }
  });

  it('know the Ronin exploiter as sanctioned, on behalf of Lazarus Group', () => {
    const found = labelsOf('0x098b716b8aaf21512996dc57eb0615e2383e2f96');
    expect(found).toContainEqual(
      expect.objectContaining({ name: 'LAZARUS GROUP', category: 'sanctioned', valid_to: null, source: 'OFAC SDN 27307' }),
    );
    expect(found.map((row) => row.category)).toContain('theft');
  });

  it('end a sanction on the day of its removal, and keep the address a mixer', () => {
    const router = labelsOf('0xd90e2f925da726b50c4ed8d0fb90ad053324f31b');
    expect(router).toContainEqual(expect.objectContaining({ category: 'sanctioned', valid_from: '2022-08-08', valid_to: '2025-03-22' }));
    expect(router).toContainEqual(expect.objectContaining({ category: 'mixer', valid_to: null }));
    expect(labels.filter((row) => row.category === 'sanctioned' && row.valid_to !== null).length).toBeGreaterThanOrEqual(10);
  });
});

describe('transfers', () => {
  it('are unique by chain, transaction and position', () => {
    expect(duplicates(transfers.filter((row) => row.txid !== null).map((row) => `${row.chain} ${row.txid} ${row.position}`))).toEqual([]);
    expect(duplicates(transfers.filter((row) => row.txid === null).map((row) => JSON.stringify(row)))).toEqual([]);
  });

  it('have canonical amounts of known coins, and at least one of amount and value', () => {
    expect(breaking(transfers, (row) => isAmount(row.amount) && isAmount(row.usd_value) && isTime(row.time))).toEqual([]);
    expect(breaking(transfers, (row) => findCoin(row.coin)?.chain === row.chain)).toEqual([]);
    expect(breaking(transfers, (row) => row.amount !== null || row.usd_value !== null)).toEqual([]);
    expect(breaking(transfers, (row) => Number.isSafeInteger(row.position) && row.position >= 0)).toEqual([]);
    expect(breaking(transfers, (row) => !/^(USDT|USDC|DAI)-/.test(row.coin) || row.usd_value === row.amount)).toEqual([]);
  });

  it('are counted: two traced thefts in full, Ronin without empty ones, three blocks', () => {
    const count = (source: string): number => transfers.filter((row) => row.source === source).length;
    expect(count('MFTracer (MIT) LIFI')).toBe(135);
    expect(count('MFTracer (MIT) TxPhish')).toBe(292);
    expect(count('dspytdao/Eth_Data (MIT)')).toBe(311);
    expect(count('ethereum-etl (MIT)')).toBeGreaterThan(200);
    expect(count('graphsense-lib (MIT)')).toBe(139);
    expect(count('bcoin (MIT)')).toBeGreaterThan(30);
  });

  it('keep what a float would lose or write with an exponent', () => {
    const first = transfers.filter(
      (row) => row.txid === '0xec7cc4df1ff542793053335700f18d59c3f870e1e4820a42d558c76db832bd14' && row.position === 0,
    );
    expect(first.map((row) => [row.coin, row.amount])).toEqual([['ETH', '7.4']]);
    const wide = transfers.filter((row) => row.amount !== null && row.amount.replace('.', '').length > 17);
    expect(wide.length).toBeGreaterThan(50);
    expect(transfers.some((row) => row.amount === '0.00001' && row.source.startsWith('dspytdao'))).toBe(true);
  });
});

describe('deposits', () => {
  it('are at least 150, with unique ids, canonical amounts and somebody at both ends', () => {
    expect(deposits.length).toBeGreaterThanOrEqual(150);
    expect(deposits.length).toBeLessThanOrEqual(350);
    expect(duplicates(deposits.map((row) => row.deposit_id))).toEqual([]);
    expect(
      breaking(deposits, (row) => isAmount(row.amount) && row.amount !== '0' && isAmount(row.usd_value) && isTime(row.detected_at)),
    ).toEqual([]);
    expect(breaking(deposits, (row) => !isNobody(row.chain, row.from_address) && !isNobody(row.chain, row.to_address))).toEqual([]);
    expect(breaking(deposits, (row) => /^u-[0-9a-f]{8}$/.test(row.user_id) && findCoin(row.coin)?.chain === row.chain)).toEqual([]);
  });

  it('are transfers of the sample, and their transaction has one sender', () => {
    const known = new Map<string, Set<string>>();
    const pairs = new Set<string>();
    for (const row of transfers) {
      const senders = known.get(`${row.chain} ${row.txid}`) ?? new Set();
      known.set(`${row.chain} ${row.txid}`, senders.add(row.from_address));
      pairs.add([row.chain, row.txid, row.from_address, row.to_address, row.time].join(' '));
    }
    expect(
      breaking(deposits, (row) => pairs.has([row.chain, row.txid, row.from_address, row.to_address, row.detected_at].join(' '))),
    ).toEqual([]);
    expect(breaking(deposits, (row) => row.txid === null || known.get(`${row.chain} ${row.txid}`)?.size === 1)).toEqual([]);
  });

  it('call exchange-bound only what goes to an address with that label', () => {
    const exchanges = new Set(labels.filter((row) => row.category === 'exchange').map((row) => `${row.chain} ${row.address}`));
    const mixers = new Set(labels.filter((row) => row.category === 'mixer').map((row) => `${row.chain} ${row.address}`));
    const kinds = { 'exchange-bound': exchanges, 'instant-exchange-bound': mixers };
    for (const [kind, addresses] of Object.entries(kinds)) {
      const rows = deposits.filter((row) => row.source.startsWith(`${kind}:`));
      expect(rows.length, kind).toBeGreaterThan(10);
      expect(breaking(rows, (row) => addresses.has(`${row.chain} ${row.to_address}`))).toEqual([]);
    }
    expect(breaking(deposits, (row) => /^(exchange-bound|instant-exchange-bound|replayed): /.test(row.source))).toEqual([]);
  });

  it('come from all kinds of senders, on three chains, below and above 1,000 USD', () => {
    const sentBy = (category: string): number =>
      deposits.filter((row) => labelsOf(row.from_address).some((label) => label.category === category)).length;
    for (const category of ['sanctioned', 'theft', 'phishing', 'exchange', 'gambling'])
      expect(sentBy(category), category).toBeGreaterThan(2);
    expect(sentBy('ordinary')).toBeGreaterThan(0);
    expect(deposits.filter((row) => labelsOf(row.from_address).length === 0).length).toBeGreaterThan(50);
    for (const chain of ['ethereum', 'tron', 'bitcoin'])
      expect(deposits.filter((row) => row.chain === chain).length, chain).toBeGreaterThan(15);
    expect(deposits.filter((row) => row.usd_value !== null && Number(row.usd_value) < 1000).length).toBeGreaterThan(20);
    expect(deposits.filter((row) => Number(row.usd_value) >= 1000).length).toBeGreaterThan(20);
    expect(deposits.filter((row) => row.usd_value === null).length).toBeGreaterThan(5);
  });
});
