import { expect, test } from 'vitest';
import { checkWellFormed } from './index.ts';
import { contentSha256 } from './transfer.ts';
import { raw } from './transfers.testing.ts';

const xrp = {
  coin: 'XRP',
  txid: null,
  from_address: 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf',
  to_address: 'r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59',
  memo: null,
};
/** The same receiver with tag 1 (ripple-address-codec, tests). */
const tagged = 'X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu';

test.each([
  ['a tag', { memo: '1' }, '1'],
  ['a tag in the address', { to_address: tagged }, '1'],
  ['the same tag in both', { to_address: tagged, memo: '1' }, '1'],
  ['none', {}, null],
  ['an empty one', { memo: '' }, null],
])('%s', (_, over, memo) => {
  const { transfer, faults } = checkWellFormed(raw({ ...xrp, ...over }));
  expect(faults).toEqual([]);
  expect(transfer).toMatchObject({ chain: 'ripple', coin: 'XRP', to_address: xrp.to_address, memo });
});

test.each([
  ['no number', { ...xrp, memo: 'x' }, 'memo: a destination tag is a whole number from 0 to 4294967295'],
  ['another one in the address', { ...xrp, to_address: tagged, memo: '2' }, 'memo: to_address holds another one, 1'],
  ['a chain without memos', { memo: '1' }, 'memo: ethereum has none'],
])('%s is a fault', (_, over, detail) => {
  expect(checkWellFormed(raw(over)).faults).toMatchObject([{ fault: 'INVALID_TRANSFER', field: 'memo', detail }]);
});

test('another memo is another transfer', () => {
  const hashes = ['1', '2', null].map((memo) => contentSha256(checkWellFormed(raw({ ...xrp, memo }))));
  expect(new Set(hashes).size).toBe(3);
});
