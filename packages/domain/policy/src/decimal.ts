import { parseAmount } from '@weir/chains';

const scale = 36;
const one = 10n ** BigInt(scale);

/** The rules' decimal type: a float would lose digits at a limit. */
export class Decimal {
  /** The number times 10^36. */
  readonly units: bigint;

  constructor(units: bigint) {
    this.units = units;
  }

  static ofWhole(whole: bigint): Decimal {
    return new Decimal(whole * one);
  }

  /** Undefined for other text (no sign, no exponent). */
  static parse(text: string): Decimal | undefined {
    const amount = parseAmount(text);
    if (amount === undefined) return undefined;
    const [whole = '', fraction = ''] = amount.split('.');
    return new Decimal(BigInt(whole + fraction.padEnd(scale, '0')));
  }

  toString(): string {
    return `${this.units / one}.${String(this.units % one).padStart(scale, '0')}`;
  }

  compare(other: Decimal): -1 | 0 | 1 {
    if (this.units === other.units) return 0;
    return this.units < other.units ? -1 : 1;
  }
}
