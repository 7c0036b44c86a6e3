/** 78 integer digits hold any 256-bit value; 36 fraction digits are twice the precision of any coin. */
export const amountPattern = /^(0|[1-9][0-9]{0,77})(?:\.([0-9]{1,36}))?$/;

/**
 * The canonical amount in whole coins or USD: no sign, exponent or superfluous zeros; else undefined.
 * A string, because a float cannot hold the smallest units.
 */
export function parseAmount(text: string): string | undefined {
  const match = amountPattern.exec(text);
  if (match === null) return undefined;
  const [, whole = '0', fraction = ''] = match;
  const digits = fraction.replace(/0+$/, '');
  return digits === '' ? whole : `${whole}.${digits}`;
}

function compareText(a: string, b: string): -1 | 0 | 1 {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Exact, for results of `parseAmount`. */
export function compareAmounts(a: string, b: string): -1 | 0 | 1 {
  const [wholeA = '', fractionA = ''] = a.split('.');
  const [wholeB = '', fractionB = ''] = b.split('.');
  if (wholeA.length !== wholeB.length) return wholeA.length < wholeB.length ? -1 : 1;
  // Canonical digits of equal length compare as text.
  return wholeA === wholeB ? compareText(fractionA, fractionB) : compareText(wholeA, wholeB);
}

/** Canonical, cut after the 36th place. Undefined for other text. */
export function multiplyAmounts(a: string, b: string): string | undefined {
  const [first, second] = [parseAmount(a), parseAmount(b)];
  if (first === undefined || second === undefined) return undefined;
  const places = [first, second].reduce((sum, text) => sum + (text.split('.')[1]?.length ?? 0), 0);
  const digits = String(BigInt(first.replace('.', '')) * BigInt(second.replace('.', ''))).padStart(places + 1, '0');
  const fraction = digits
    .slice(digits.length - places)
    .slice(0, 36)
    .replace(/0+$/, '');
  const whole = digits.slice(0, digits.length - places);
  return places === 0 || fraction === '' ? whole : `${whole}.${fraction}`;
}
