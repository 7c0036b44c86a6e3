import { chains, listedCoins } from '@weir/chains';
import { questionOf } from '@weir/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkTransfer, isMalformed, type RawTransfer, toDeposit } from './index.ts';
import { lowerCase, mixedCase, sender, tronAddress, txid } from './transfers.testing.ts';

/** Any UTF-16 units: NUL, lone surrogates, and sometimes far too many. */
const anything = fc.oneof(
  fc.array(fc.nat({ max: 0xffff }), { maxLength: 20 }).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('\0', '\ud800', '\udfff', '__proto__', ' ', 'x'.repeat(100_000), '9'.repeat(10_000), '\ud83d\ude00'),
);
const known = fc.oneof(
  fc.constantFrom(lowerCase, mixedCase, sender, tronAddress, txid, txid.slice(2), '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', 'nonsense'),
  anything,
);
const often = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: rare });
const amount = often(
  fc
    .tuple(fc.bigInt({ min: 0n, max: 10n ** 30n }), often(fc.stringMatching(/^(\.[0-9]{1,6})?$/), fc.stringMatching(/^\.[0-9]{7,20}$/)))
    .map(([whole, rest]) => `${whole}${rest}`),
  anything,
);

const anyTransfers: fc.Arbitrary<RawTransfer> = fc.record({
  kind: fc.constantFrom('deposit', 'withdrawal'),
  source_id: often(fc.string({ minLength: 1, maxLength: 128 }), anything),
  chain: often(fc.constantFrom(null, null, 'ethereum', 'ERC20'), fc.oneof(fc.constantFrom(...chains), anything)),
  coin: often(
    fc.constantFrom(
      ...listedCoins.filter(({ chain }) => ['ethereum', 'tron', 'bitcoin', 'bsc'].includes(chain)).map(({ symbol }) => symbol),
    ),
    anything,
  ),
  txid: often(fc.oneof(fc.constant(null), fc.constantFrom(txid, txid.toUpperCase().replace('X', 'x'), txid.slice(2))), known),
  from_address: often(fc.constantFrom(null, sender, mixedCase), known),
  to_address: often(fc.constantFrom(lowerCase, mixedCase, tronAddress), known),
  amount,
  usd_value: fc.oneof(fc.constant(null), amount),
  user_id: often(fc.constantFrom(null, 'u-1'), anything),
  memo: often(fc.constantFrom(null, ''), fc.oneof(fc.constant('12'), anything)),
  occurred_at: often(fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 }), fc.double()),
  received_at: fc.nat(),
});
/** A withdrawal has neither transaction nor sender. */
const transfers = anyTransfers.map((given) => (given.kind === 'deposit' ? given : { ...given, txid: null, from_address: null }));

/** A failure prints its seed. */
test('whatever is told is checked without a fault of ours, and what was checked is checked to the same', () => {
  let valid = 0;
  let faults = 0;
  fc.assert(
    fc.property(transfers, (given) => {
      const first = checkTransfer(given);
      if (isMalformed(first)) {
        for (const { field } of first.problems)
          expect(field).toMatch(
            /^(deposit_id|withdrawal_id|coin|chain|txid|from_address|to_address|user_id|memo|amount|usd_value|detected_at|requested_at)$/,
          );
        return;
      }
      valid += 1;
      if (first.faults.length > 0) faults += 1;
      const { transfer } = first;
      const again = checkTransfer({
        ...transfer,
        // In the topic an unnamed chain is null.
        chain: transfer.chain === '' ? null : transfer.chain,
        received_at: given.received_at,
      });
      expect({ ...again, given }).toEqual(first);
      expect(questionOf(first.transfer).subject).not.toBe('');
      expect(JSON.stringify(toDeposit(given))).not.toContain('\\u0000');
    }),
    { numRuns: 5_000, verbose: 1 },
  );
  // Both kinds must occur, or the property proves nothing.
  expect(valid).toBeGreaterThan(500);
  expect([faults > 100, valid - faults > 100]).toEqual([true, true]);
});
