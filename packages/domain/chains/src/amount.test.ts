import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compareAmounts, multiplyAmounts, parseAmount } from './index.ts';

describe('parseAmount', () => {
  it.each([
    ['0', '0'],
    ['0.0', '0'],
    ['1.50', '1.5'],
    ['100', '100'],
    ['0.000000000000000001', '0.000000000000000001'],
    // Beyond 2^53 smallest units: a float would lose the last digits.
    ['150188698577.042438264952193024', '150188698577.042438264952193024'],
    [`9${'0'.repeat(77)}`, `9${'0'.repeat(77)}`],
    [`0.${'0'.repeat(35)}1`, `0.${'0'.repeat(35)}1`],
  ])('%s is %s', (text, canonical) => expect(parseAmount(text)).toBe(canonical));

  it.each([
    '',
    '.5',
    '5.',
    '-1',
    '+1',
    '1e3',
    '01',
    '00',
    '1,5',
    '1_000',
    ' 1',
    '1 ',
    '1\n',
    '0x10',
    'NaN',
    'Infinity',
    '１',
    '1.2.3',
    '1'.repeat(79),
    `0.${'0'.repeat(36)}1`,
  ])('refuses %j', (text) => expect(parseAmount(text)).toBeUndefined());

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 10n ** 40n }), fc.nat({ max: 36 }), (units, decimals) => {
        const canonical = parseAmount(decimal(units, decimals));
        expect(canonical).toBeDefined();
        expect(parseAmount(canonical ?? '')).toBe(canonical);
      }),
    );
  });
});

function decimal(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  return decimals === 0 ? whole : `${whole}.${digits.slice(digits.length - decimals)}`;
}

describe('compareAmounts', () => {
  it.each([
    ['9', '10', -1],
    ['1.1', '1.09', 1],
    ['1.1', '1.11', -1],
    ['1', '1.000000000000000001', -1],
    ['0', '0', 0],
    ['9007199254740993', '9007199254740992', 1],
  ] as const)('%s against %s is %i', (a, b, order) => expect(compareAmounts(a, b)).toBe(order));

  it('orders as the integers of smallest units do', () => {
    const smallest = fc.bigInt({ min: 0n, max: 10n ** 30n });
    // Adds near pairs, because random pairs seldom share digits.
    const pair = fc
      .tuple(smallest, fc.oneof(smallest, fc.bigInt({ min: 0n, max: 100n })))
      .chain(([a, b]) => fc.constantFrom<[bigint, bigint][]>([a, b], [a, a + b]));
    fc.assert(
      fc.property(pair, fc.nat({ max: 20 }), (amounts, decimals) => {
        const [a, b] = amounts;
        const [textA, textB] = [decimal(a, decimals), decimal(b, decimals)].map((text) => parseAmount(text) ?? '');
        expect(compareAmounts(textA ?? '', textB ?? '')).toBe(a < b ? -1 : a > b ? 1 : 0);
      }),
    );
  });
});

describe('multiplyAmounts', () => {
  it.each([
    ['1.50', '2', '3'],
    ['10', '10', '100'],
    ['0.05', '0.2', '0.01'],
    ['0', '12.5', '0'],
    ['150188698577.042438264952193024', '1.1', '165207568434.7466820914474123264'],
    // Digits after the 36th place.
    [`0.${'0'.repeat(35)}1`, '0.5', '0'],
    [`0.${'0'.repeat(35)}3`, '0.5', `0.${'0'.repeat(35)}1`],
  ])('%s × %s is %s', (a, b, product) => expect([multiplyAmounts(a, b), multiplyAmounts(b, a)]).toEqual([product, product]));

  it('is undefined where one is no amount', () => expect(multiplyAmounts('1', 'much')).toBeUndefined());
});
