// The gate's limits: 78 integer digits hold any 256-bit value, 36 fraction digits twice the precision of any coin in use.
const shape = /^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,36}))?$/;

/** Returns the canonical form: no sign, no exponent, no superfluous zeros. Undefined when `text` is not a decimal number. */
export function canonicalAmount(text: unknown): string | undefined {
  const match = typeof text === 'string' ? shape.exec(text) : null;
  if (match === null) return undefined;
  const digits = (match[2] ?? '').replace(/0+$/, '');
  return digits === '' ? match[1] : `${match[1]}.${digits}`;
}
