/** The nth address of its kind, a digit. */
export function address(kind: string, n: number): `0x${string}` {
  return `0x${n.toString(16).padStart(40, kind)}`;
}
