import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromUnits, multiply, plainDecimal } from './decimal.ts';

describe('plainDecimal', () => {
  it.each([
    ['1e-05', '0.00001'],
    ['1.50', '1.5'],
    ['0.0', '0'],
    ['007', '7'],
    ['1.25E+3', '1250'],
    [
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
      '115792089237316195423570985008687907853269984665640564039457584007913129639935',
    ],
  ])('writes %s as %s', (text, plain) => expect(plainDecimal(text)).toBe(plain));

  it.each(['', '-1', '+1', '1,5', '.5', '5.', 'NaN', 'Infinity', '1e999', '1e61', ' 1', '1\n', '0x1', '١'])('refuses %j', (text) =>
    expect(plainDecimal(text)).toBeUndefined(),
  );
});

describe('fromUnits', () => {
  it('is exact for any number of units, and the units come back', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 256n }), fc.nat(36), (units, decimals) => {
        const [whole = '', fraction = ''] = fromUnits(units, decimals).split('.');
        expect(BigInt(whole + fraction.padEnd(decimals, '0'))).toBe(units);
        expect(fraction).not.toMatch(/0$/);
      }),
    );
  });
});

describe('multiply', () => {
  it.each([
    ['1', '0.000000005', '0'],
    ['3', '0.000000005', '0.00000002'],
    ['1', '0.0000000051', '0.00000001'],
    ['1.5', '2', '3'],
    ['0', '5', '0'],
  ])('%s × %s is %s, halves to even', (a, b, product) => expect(multiply(a, b, 8)).toBe(product));

  it('is within half a unit of the last place of the exact product, and exact where that has no more places', () => {
    const number = fc.tuple(fc.bigInt({ min: 0n, max: 2n ** 200n }), fc.nat(18));
    fc.assert(
      fc.property(number, number, (a, b) => {
        const product = multiply(fromUnits(...a), fromUnits(...b), 8);
        const [whole = '', fraction = ''] = product.split('.');
        const scale = 10n ** BigInt(a[1] + b[1]);
        const rounded = BigInt(whole + fraction.padEnd(8, '0')) * scale;
        const exact = a[0] * b[0] * 10n ** 8n;
        const error = rounded > exact ? rounded - exact : exact - rounded;
        expect(2n * error <= scale).toBe(true);
        if (exact % scale === 0n) expect(error).toBe(0n);
      }),
    );
  });
});
