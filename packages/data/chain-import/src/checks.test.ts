import { describe, expect, it } from 'vitest';
import { checkLabel, checkTransfer } from './checks.ts';
import type { LabelRow, TransferRow } from './rows.ts';

const label: LabelRow = {
  chain: 'ethereum',
  address: '0x098B716B8Aaf21512996dC57EB0615e2383E2f96',
  name: 'Somebody',
  category: 'theft',
  valid_from: '2022-03-23',
  valid_to: null,
  confidence: 1,
  source: 'a test',
};
const transfer: TransferRow = {
  chain: 'tron',
  txid: 'F5B18F5B08DA80FCD090F8ADBED2D936F3F3C4B70938B4A213F392FB0C4374F2',
  position: 0,
  from_address: 'TU4tDFRvcKhAZ1jdihojmBWZqvJhQCnJ4F',
  to_address: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t',
  coin: 'TRX',
  amount: '0.000001',
  usd_value: null,
  time: '2023-04-04T12:53:51Z',
  source: 'a test',
};

describe('a label', () => {
  it('is normalised', () => {
    const expected = { ...label, address: label.address.toLowerCase(), valid_from: new Date('2022-03-23T00:00:00Z') };
    expect(checkLabel(label)).toEqual({ ...expected, source_kind: 'curated', authority: null });
  });

  it.each<[string, Partial<LabelRow>]>([
    ['chain is none of', { chain: 'ETHEREUM' }],
    ['chain is none of', { chain: '__proto__' }],
    ['address is no address of ethereum', { address: '0x098b716B8Aaf21512996dC57EB0615e2383E2f96' }],
    ['valid_from is not an ISO 8601 time', { valid_from: '2022-02-30' }],
    ['valid_to is not an ISO 8601 time', { valid_to: '' }],
    ['confidence must be 0 to 1', { confidence: Number.NaN }],
    ['confidence must be 0 to 1', { confidence: 1.01 }],
    ['name is missing', { name: '' }],
    ['name contains an invalid character', { name: 'a\0b' }],
    ['source contains an invalid character', { source: 'a\ud800' }],
    ['category is longer than 500', { category: 'x'.repeat(501) }],
  ])('is refused: %s', (fault, wrong) => expect(checkLabel({ ...label, ...wrong })).toEqual({ fault: expect.stringContaining(fault) }));
});

describe('a transfer', () => {
  it('is normalised, and counts as dealings of two', () => {
    expect(checkTransfer(transfer)).toMatchObject({
      txid: transfer.txid?.toLowerCase(),
      at: new Date(transfer.time),
      usd: null,
    });
  });

  it('without an id has one derived from all that it says', () => {
    const id = (row: Partial<TransferRow>): string => (checkTransfer({ ...transfer, txid: null, ...row }) as { txid: string }).txid;
    expect(id({})).toMatch(/^derived:[0-9a-f]{64}$/);
    expect(id({})).toBe(id({}));
    const others = [
      { position: 1 },
      { amount: '1' },
      { amount: null, usd_value: '1' },
      { amount: null, usd_value: '2' },
      { time: '2023-04-04T12:53:52Z' },
      { coin: 'X' },
      { source: 'other' },
    ];
    // The same transfer, valued by a price file.
    expect(id({ usd_value: '1' })).toBe(id({}));
    expect(new Set([{}, ...others].map(id)).size).toBe(others.length + 1);
  });

  it.each<[string, Partial<TransferRow>]>([
    ['from_address is no address of tron', { from_address: transfer.from_address.toLowerCase() }],
    ['to_address is no address of tron', { to_address: label.address }],
    ['txid is no transaction id', { txid: '0x12' }],
    ['time is not an ISO 8601 time', { time: 'yesterday' }],
    ['amount is not a decimal number', { amount: '1e5' }],
    ['amount is not a decimal number', { amount: '1'.repeat(61) }],
    ['usd_value is not a decimal number', { usd_value: '-1' }],
    ['position is not a whole number', { position: 2 ** 31 }],
    ['position is not a whole number', { position: 0.5 }],
  ])('is refused: %s', (fault, wrong) =>
    expect(checkTransfer({ ...transfer, ...wrong })).toEqual({ fault: expect.stringContaining(fault) }),
  );
});
