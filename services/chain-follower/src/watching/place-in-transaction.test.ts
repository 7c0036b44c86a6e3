import { positionsFrom, type TransferRow } from '@weir/chain-import';
import { expect, test } from 'vitest';
import { placedInTransactions } from './place-in-transaction.ts';

const row = (txid: string, position: number, amount: string): TransferRow => ({
  chain: 'ethereum',
  txid,
  position,
  from_address: 'a',
  to_address: 'b',
  coin: 'USDC-ERC20',
  amount,
  usd_value: null,
  time: '2026-01-01T00:00:00Z',
  source: 'node',
});
const places = (rows: readonly TransferRow[]): unknown[] => rows.map(({ txid, position, amount }) => [txid, position, amount]);

test('a transaction has the same places in every block', () => {
  const own = (before: number): TransferRow[] => [
    row('ours', 0, '1'),
    row('ours', before + 1, '2'),
    row('ours', before + 2, '3'),
    row('ours', positionsFrom.internal + 7, '4'),
  ];
  const ofOurs = (rows: readonly TransferRow[]): unknown[] => places(rows.filter(({ txid }) => txid === 'ours'));
  const expected = [
    ['ours', 0, '1'],
    ['ours', 1, '2'],
    ['ours', 2, '3'],
    ['ours', positionsFrom.internal + 7, '4'],
  ];
  expect(ofOurs(placedInTransactions('ethereum', own(0)))).toEqual(expected);
  const others = [row('theirs', 5, '8'), row('theirs', 1, '9')];
  expect(ofOurs(placedInTransactions('ethereum', [...others, ...own(40)].toReversed()))).toEqual(expected);
});

test('outputs of Bitcoin keep their index', () => {
  const rows = [row('one', 3, '1'), row('one', 3, '2'), row('one', 0, '3')];
  expect(placedInTransactions('bitcoin', rows)).toEqual(rows);
});
