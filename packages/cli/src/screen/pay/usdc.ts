/** Micro-USDC of a decimal such as `2.50`; undefined for an invalid one, or for more than six places. */
export function microUsdcOf(text: string): bigint | undefined {
  const [, whole = '', fraction = ''] = /^(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  return whole === '' ? undefined : BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(6, '0'));
}

export function usdcOf(micro: bigint): string {
  const fraction = (micro % 1_000_000n).toString().padStart(6, '0').replace(/0+$/, '');
  return `${micro / 1_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}
