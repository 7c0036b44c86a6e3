import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type CoinJoin, findCoinJoin, type OwnedValue } from './coin-join.ts';

/** Values in satoshis. Inputs have one address each unless `signers` is smaller. */
interface Transaction {
  readonly name: string;
  /** The transaction id, or the description that the values follow. */
  readonly source: string;
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
  readonly signers?: number;
}

const times = (count: number, value: number): number[] => Array.from({ length: count }, () => value);
/** Values that no other output has. */
const different = (count: number, from = 1_234_567): number[] => Array.from({ length: count }, (_, at) => from + 7_919 * at);

/** Outputs of one value in Wasabi 2's transaction fb596c9f…, largest groups first; nine other outputs have a value of their own. */
const wabiSabiGroups = [20, 19, 15, 14, 14, 13, 12, 12, 11, 11, 11, 11, 9, 9, 9, 9, 8, 7, 7, 6, 6, 6, 5, 5, 5, 4, 4, 4, 2, 2];

const coinJoins: readonly (Transaction & { readonly shape: CoinJoin })[] = [
  {
    name: 'Whirlpool, five of 0.05 BTC',
    source: '323df21f0b0756f98336437aa3d2fb87e02b59f1946b714a7b09df04d429dec2',
    inputs: [5_010_000, 5_000_000, 5_010_000, 5_000_000, 5_010_000],
    outputs: times(5, 5_000_000),
    shape: 'equal outputs',
  },
  {
    name: 'JoinMarket with two participants',
    source: '4f112abd2eefe3484a7bbf7c1731f784cba19de677468835145e9c448fb18b7d',
    inputs: [148_798, 1_448_113],
    outputs: [46_981, 100_420, 1_347_800, 100_420],
    shape: 'equal outputs',
  },
  {
    name: 'DarkWallet with two participants',
    source: '8e56317360a548e8ef28ec475878ef70d1371bee3526c017ac22ad61ae5740b8',
    inputs: [10_000_000, 1_380_000],
    outputs: [100_000, 9_850_000, 100_000, 1_270_000],
    shape: 'equal outputs',
  },
  {
    name: 'four participants, one with two inputs, one without change',
    source: '7d588d52d1cece7a18d663c977d6143016b5b326404bbf286bc024d5d54fcecb',
    inputs: [260_994_463, 98_615_817, 84_911_243, 20_112_774, 79_168_410],
    outputs: [14_868_890, 84_077_613, 84_077_613, 15_369_204, 177_252_160, 84_077_613, 84_077_613],
    shape: 'equal outputs',
  },
  {
    name: 'Wasabi 1, with change and a second denomination',
    source: 'ZeroLink: a hundred of about 0.1 BTC, some of 0.2 BTC, change, and the fee',
    inputs: different(160, 11_000_000),
    outputs: [...times(60, 10_002_048), ...times(14, 20_004_096), ...different(90)],
    shape: 'many equal outputs',
  },
  {
    name: 'Wasabi 2, 327 inputs and 279 outputs',
    source: 'fb596c9f675471019c60e984b569f9020dac3b2822b16396042b50c890b45e5e',
    inputs: different(327),
    outputs: [...wabiSabiGroups.flatMap((count, at) => times(count, 10_000 * (at + 1))), ...different(9)],
    shape: 'many equal outputs',
  },
  {
    name: 'Wasabi 2 of few participants',
    source: 'WabiSabi: outputs of standard denominations, each for some participants',
    inputs: different(24),
    outputs: [8_192, 10_000, 50_000, 131_072, 200_000].flatMap((value) => times(4, value)).concat(different(7)),
    shape: 'many denominations',
  },
];

const others: readonly Transaction[] = [
  {
    name: 'a payment with change',
    source: '0b6461de422c46a221db99608fcbe0326e4f2325ebf2a47c9faf660ed61ee6a4',
    inputs: [83_013_905_944],
    outputs: [39_852_779, 82_974_043_165],
  },
  {
    name: 'a payment of several own coins',
    source: 'dcba20fdfe34fe240fa6eacccfb2e58468ba2feafcfff99706145800d09a09a6',
    inputs: [5_300_000_000, 2_020_000_000, 4_975_000_000, 5_000_000_000, 5_556_000_000, 7_150_000_000],
    outputs: [1_000_000, 30_000_000_000],
  },
  { name: 'a consolidation', source: 'many coins to one', inputs: different(200), outputs: [400_000_000] },
  {
    name: 'a batch of 143 withdrawals, some of the same value',
    source: '3d81a6b95903dd457d45a2fc998acc42fe96f59ef01157bdcbc331fe451c8d9e',
    inputs: [20_000_000],
    outputs: [...times(2, 45_422), ...times(2, 47_693), ...times(2, 22_712), ...different(137)],
  },
  {
    name: 'a batch of withdrawals from several deposits',
    source: '39be4c5fbfddfe532179f47509f9c1a76fcc3778904114592fc5fe1206f1fbe2: 19 inputs, 20 outputs, two of 0.1 BTC',
    inputs: different(19),
    outputs: [...times(2, 10_000_000), ...different(18)],
  },
  {
    name: 'a pay-out of one value from one address with many coins',
    source: 'mining pools',
    inputs: different(30),
    outputs: times(30, 5_000_000),
    signers: 1,
  },
  {
    name: 'a payment of tokens to two people',
    source: 'Omni and Counterparty: recipients are marked with 546 satoshis',
    inputs: [1_000_000, 900_000],
    outputs: [546, 546, 1_880_000],
  },
];

function endsOf(values: readonly number[], prefix: string, owners = values.length): OwnedValue[] {
  return values.map((value, at) => ({ owner: `${prefix}${at % owners}`, value: BigInt(value) }));
}

const shapeOf = ({ inputs, outputs, signers }: Transaction): CoinJoin | undefined =>
  findCoinJoin(endsOf(inputs, 'in', signers), endsOf(outputs, 'out'));

it.each(coinJoins.map((each) => [each.name, each] as const))('is a CoinJoin: %s', (_, transaction) => {
  expect(shapeOf(transaction)).toBe(transaction.shape);
});

it.each(others.map((each) => [each.name, each] as const))('is none: %s', (_, transaction) => {
  expect(shapeOf(transaction)).toBeUndefined();
});

it('equal outputs to one address are one', () => {
  expect(findCoinJoin(endsOf([5_000, 6_000], 'in'), endsOf(times(2, 4_000), 'out', 1))).toBeUndefined();
});

it('does not depend on the order of inputs and outputs, and outputs without value do not hide it', () => {
  for (const transaction of [...coinJoins, ...others]) {
    const { inputs, outputs, signers } = transaction;
    const [signed, paid] = [endsOf(inputs, 'in', signers), [...endsOf(outputs, 'out'), { owner: null, value: 0n }]];
    const shuffled = fc.tuple(
      fc.shuffledSubarray(signed, { minLength: signed.length }),
      fc.shuffledSubarray(paid, { minLength: paid.length }),
    );
    fc.assert(
      fc.property(shuffled, ([from, to]) => findCoinJoin(from, to) === shapeOf(transaction)),
      { numRuns: 5 },
    );
  }
});
