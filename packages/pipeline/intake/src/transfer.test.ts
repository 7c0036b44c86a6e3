import { screeningId } from '@weir/contracts';
import { describe, expect, test } from 'vitest';
import { type CheckedTransfer, checkTransfer, isMalformed, type RawTransfer } from './index.ts';
import { contentSha256, firstRequest } from './transfer.ts';
import { detectedAt, lowerCase, mixedCase, raw, receivedAt, sender, tronAddress, txid } from './transfers.testing.ts';

function check(over: Partial<RawTransfer> = {}): CheckedTransfer {
  const result = checkTransfer(raw(over));
  if (isMalformed(result)) throw new Error(JSON.stringify(result.problems));
  return result;
}

describe('a transfer is normalised:', () => {
  test('EVM addresses and ids to lower case, amounts to their canonical form, the chain from the coin', () => {
    const given = {
      to_address: mixedCase,
      from_address: `0x${sender.slice(2).toUpperCase()}`,
      txid: `0x${'AB'.repeat(32)}`,
      amount: '1.500',
      usd_value: '4000.00',
    };
    expect(check(given)).toEqual({
      given: raw(given),
      transfer: {
        kind: 'deposit',
        source_id: 'd-1',
        chain: 'ethereum',
        coin: 'ETH',
        txid,
        from_address: sender,
        to_address: lowerCase,
        amount: '1.5',
        usd_value: '4000',
        user_id: 'u-1',
        memo: null,
        occurred_at: detectedAt,
      },
      faults: [],
      warnings: [],
      screeningId: screeningId('deposit', 'd-1'),
    });
  });

  test('segwit to lower case, TRON and legacy Bitcoin exactly as they are', () => {
    const segwit = 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4';
    const bitcoin = { coin: 'BTC', txid: 'AB'.repeat(32), from_address: null };
    expect(check({ ...bitcoin, to_address: segwit })).toMatchObject({
      faults: [],
      transfer: { to_address: segwit.toLowerCase(), txid: 'ab'.repeat(32) },
    });
    expect(check({ ...bitcoin, to_address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2' }).transfer.to_address).toBe(
      '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
    );
    const tron = { coin: 'USDT-TRC20', txid: 'ab'.repeat(32), from_address: tronAddress, to_address: tronAddress };
    expect(check(tron)).toMatchObject({ faults: [], transfer: { chain: 'tron', from_address: tronAddress, to_address: tronAddress } });
  });
});

describe('what is asked about', () => {
  test.each<[string, Partial<RawTransfer>, 'txid' | 'address', string, string]>([
    ['a deposit with a txid', { from_address: null }, 'txid', txid, 'deposit'],
    ['a deposit without', { txid: null, from_address: sender }, 'address', sender, 'deposit'],
    ['a withdrawal', { kind: 'withdrawal', txid: null, from_address: null, to_address: mixedCase }, 'address', lowerCase, 'withdraw'],
    ['a withdrawal that names more', { kind: 'withdrawal' }, 'address', lowerCase, 'withdraw'],
  ])('%s', (_, over, type, subject, direction) => {
    const checked = check(over);
    const kind = over.kind ?? 'deposit';
    expect(firstRequest(checked, 60)).toEqual({
      screening_id: screeningId(kind, 'd-1'),
      attempt: 1,
      kind,
      chain: 'ethereum',
      coin: 'ETH',
      subject_type: type,
      subject,
      direction,
      lane: kind,
      fault: null,
      requested_at: receivedAt,
      deadline_at: receivedAt + 60,
      transfer: checked.transfer,
      renews_revision: null,
      token_id: null,
      warnings: [],
    });
  });
});

describe('the content', () => {
  test.each<[string, Partial<RawTransfer>]>([
    ['told at another time', { occurred_at: detectedAt + 1 }],
    ['with the chain named', { chain: 'ethereum' }],
    ['with the address in its other form', { to_address: mixedCase }],
    ['with zeros at the end', { amount: '1.50', usd_value: '4000.0' }],
  ])('is the same %s', (_, over) => {
    expect(contentSha256(check(over))).toBe(contentSha256(check()));
  });

  test('is another with any other part, and no two parts can be taken for one another', () => {
    const others: Partial<RawTransfer>[] = [
      {},
      { kind: 'withdrawal' },
      { source_id: 'd-2' },
      { coin: 'USDT-ERC20' },
      { chain: 'tron' },
      { coin: 'XYZ' },
      { coin: 'XYZ', chain: 'ethereum' },
      { coin: 'XYZ', chain: 'xyz' },
      { txid: null },
      { txid: `0x${'cd'.repeat(32)}` },
      { from_address: null },
      { from_address: lowerCase },
      { to_address: sender },
      { amount: '1.51' },
      { usd_value: null },
      { usd_value: '4001' },
      { user_id: null },
      { user_id: 'null' },
    ];
    const hashes = others.map((over) => contentSha256(check(over)));
    expect(new Set(hashes).size).toBe(others.length);
    expect(hashes.every((hash) => /^[0-9a-f]{64}$/.test(hash))).toBe(true);
  });
});

test('a coin of another chain than the one named has a hint where that chain has the asset', () => {
  expect(check({ coin: 'ETH', chain: 'arbitrum' }).faults).toMatchObject([{ field: 'chain', hint: 'ETH-ARBITRUM?' }]);
  expect(check({ coin: 'ETH', chain: 'solana' }).faults[0]).not.toHaveProperty('hint');
});

describe('what is wrong with a real transfer is kept, and held with its reason:', () => {
  test.each<[string, Partial<RawTransfer>, string, string]>([
    ['a coin nobody knows', { coin: 'XYZ' }, 'UNSUPPORTED_COIN', 'coin'],
    ['an asset without its chain', { coin: 'usdt' }, 'UNSUPPORTED_COIN', 'coin'],
    ['a chain that is not the coin’s', { chain: 'tron' }, 'INVALID_TRANSFER', 'chain'],
    ['a chain nobody knows', { chain: 'nowhere' }, 'INVALID_TRANSFER', 'chain'],
    ['a txid of another chain', { txid: 'ab'.repeat(32) }, 'INVALID_TRANSFER', 'txid'],
    ['a receiver of another chain', { to_address: tronAddress }, 'INVALID_TRANSFER', 'to_address'],
    ['a receiver with a typing error', { to_address: mixedCase.replace('C6c', 'c6C') }, 'INVALID_TRANSFER', 'to_address'],
    ['a sender that is none', { from_address: 'unknown' }, 'INVALID_TRANSFER', 'from_address'],
    ['an amount of zero', { amount: '0.0' }, 'INVALID_TRANSFER', 'amount'],
    ['an amount with more decimal places than the coin', { amount: `0.${'0'.repeat(18)}1` }, 'INVALID_TRANSFER', 'amount'],
  ])('%s', (_, over, fault, field) => {
    const given = raw(over);
    const checked = check(over);
    expect(checked).toMatchObject({ faults: [{ fault, field }], screeningId: screeningId('deposit', 'd-1') });
    expect(checked.faults[0]?.detail).toMatch(/^\S.*\S$/);
    expect(checked.transfer).toMatchObject({
      coin: given.coin,
      from_address: given.from_address,
      to_address: given.to_address,
      txid: given.txid,
    });
    expect(checked.transfer.chain).toBe(given.chain ?? (given.coin === 'ETH' ? 'ethereum' : ''));
    expect(firstRequest(checked, 1).fault).toBe(fault);
  });
});

test.each([
  ['ETH', '1.5'],
  ['ETH', `0.${'0'.repeat(17)}1`],
  ['ETH', `1.${'0'.repeat(20)}`],
  ['USDT-ERC20', '0.000001'],
])('an amount of %s that its chain can pay has no fault: %s', (coin, amount) => {
  expect(check({ coin, amount }).faults).toEqual([]);
});

const long = (length: number): string => 'x'.repeat(length);

describe('what has no form is malformed, and its field is named:', () => {
  test.each<[keyof RawTransfer, string, readonly unknown[]]>([
    ['source_id', 'deposit_id', ['', long(129), 'a\0b', 'a\nb', 'a\u007fb', 'a\ud800', '\udc00a']],
    ['coin', 'coin', ['', long(33), 'ET\0H', '\ud800']],
    ['chain', 'chain', ['', long(33), 'a\tb']],
    ['txid', 'txid', ['', long(257), 'a\0b', '\udfff']],
    ['from_address', 'from_address', ['', long(257), 'a\0b', '\udfff']],
    ['to_address', 'to_address', ['', long(257), 'a\0b', '\udfff']],
    ['user_id', 'user_id', ['', long(257), 'a\u0085b', '\ud83d']],
    [
      'amount',
      'amount',
      ['', '-1', '+1', '1e5', '1,5', ' 1', '01', '.5', '1.', 'NaN', 'Infinity', '0x1', '9'.repeat(79), `0.${'1'.repeat(37)}`, '١'],
    ],
    ['usd_value', 'usd_value', ['', '-1', '1e5', '$5', 'unknown']],
    ['occurred_at', 'detected_at', [Number.NaN, Number.POSITIVE_INFINITY, 1.5, 253_402_300_800_000, -62_135_596_800_001]],
  ])('%s', (name, field, values) => {
    for (const value of values)
      expect([value, checkTransfer(raw({ [name]: value }))]).toEqual([
        value,
        { problems: [{ field, detail: expect.stringMatching(`^${field} .`) }] },
      ]);
  });

  test('a deposit with neither txid nor sender', () => {
    expect(checkTransfer(raw({ txid: null, from_address: null }))).toEqual({
      problems: [{ field: 'txid', detail: 'txid or from_address is required' }],
    });
  });

  test('a withdrawal by its own names', () => {
    expect(checkTransfer(raw({ kind: 'withdrawal', source_id: '' }))).toMatchObject({ problems: [{ field: 'withdrawal_id' }] });
    expect(checkTransfer(raw({ kind: 'withdrawal', occurred_at: Number.NaN }))).toMatchObject({ problems: [{ field: 'requested_at' }] });
  });

  test('all of them at once', () => {
    const several = checkTransfer(raw({ source_id: '', txid: null, from_address: null, amount: '1e3' }));
    expect(several).toMatchObject({ problems: [{ field: 'deposit_id' }, { field: 'amount' }, { field: 'txid' }] });
    expect(check({ to_address: tronAddress, amount: '0' }).faults).toMatchObject([{ field: 'to_address' }, { field: 'amount' }]);
  });

  test('and what is as long, as early or as late as may be is not', () => {
    const widest = {
      source_id: long(128),
      coin: long(32),
      chain: long(32),
      txid: long(256),
      from_address: long(256),
      to_address: long(256),
      user_id: long(256),
    };
    for (const occurred_at of [-62_135_596_800_000, 253_402_300_799_999])
      expect(check({ ...widest, occurred_at }).faults).toMatchObject([{ fault: 'UNSUPPORTED_COIN' }]);
  });
});
