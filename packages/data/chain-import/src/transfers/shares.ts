/** What one of several put in, in the smallest unit. */
export interface Stake {
  readonly owner: string;
  readonly value: bigint;
}

/**
 * An amount divided among stakes in proportion to them, in whole units. The parts add up to the amount exactly: part i is what rounding down leaves between
 * the sums up to i - 1 and up to i. The stakes must not all be 0.
 */
export function divide(amount: bigint, stakes: readonly Stake[]): bigint[] {
  const total = stakes.reduce((sum, { value }) => sum + value, 0n);
  let before = 0n;
  let given = 0n;
  return stakes.map(({ value }) => {
    before += value;
    const part = (amount * before) / total - given;
    given += part;
    return part;
  });
}
