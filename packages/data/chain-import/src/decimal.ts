/** An exact decimal number, not negative: `units` / 10^`scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const shape = /^(\d{1,80})(?:\.(\d{1,60}))?(?:[eE]([+-]?\d{1,3}))?$/;
/** A larger exponent occurs in no export, and its digits would fill the memory. */
const largestExponent = 60;

function parse(text: string): Decimal | undefined {
  const [, whole, fraction = '', exponent = '0'] = shape.exec(text) ?? [];
  if (whole === undefined || Math.abs(Number(exponent)) > largestExponent) return undefined;
  const units = BigInt(whole + fraction);
  const scale = fraction.length - Number(exponent);
  return scale >= 0 ? { units, scale } : { units: units * 10n ** BigInt(-scale), scale: 0 };
}

/** Removes exponent and superfluous zeros: `1e-05` is `0.00001`. Undefined for a negative or other text. */
export function plainDecimal(text: string): string | undefined {
  const decimal = parse(text);
  return decimal === undefined ? undefined : fromUnits(decimal.units, decimal.scale);
}

/** Converts smallest units to whole coins, exact and without superfluous zeros. */
export function fromUnits(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? whole : `${whole}.${fraction}`;
}

/** Multiplies and rounds to `places`, halves to even. Throws a TypeError for other than decimal numbers. */
export function multiply(a: string, b: string, places: number): string {
  const [first, second] = [parse(a), parse(b)];
  if (first === undefined || second === undefined) throw new TypeError('expected two decimal numbers');
  const product = first.units * second.units;
  const excess = first.scale + second.scale - places;
  return excess <= 0 ? fromUnits(product, places + excess) : fromUnits(divideHalfEven(product, 10n ** BigInt(excess)), places);
}

function divideHalfEven(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor;
  const twice = 2n * (dividend % divisor);
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
}
