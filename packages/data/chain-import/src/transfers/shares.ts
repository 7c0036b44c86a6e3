/** `value` in the smallest unit. */
export interface Stake {
  readonly owner: string;
  readonly value: bigint;
}

/**
 * Splits an amount over stakes in proportion, in whole units that add up exactly: part i is the difference of the rounded-down sums
 * up to i and up to i - 1. The stakes must not all be 0.
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
