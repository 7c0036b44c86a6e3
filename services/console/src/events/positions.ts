/** The next offset of each partition of a topic, in their order. */
export type Positions = readonly bigint[];

const largest = 2n ** 63n - 1n;

/** The id of an event: where a client goes on that has seen it. */
export function encodePositions(positions: Positions): string {
  return positions.join('.');
}

/** Undefined for another text, or for more partitions than there are. A partition that was added since begins at its start. */
export function decodePositions(id: string, partitions: number): bigint[] | undefined {
  if (!/^\d{1,19}(\.\d{1,19})*$/.test(id)) return undefined;
  const positions = id.split('.').map(BigInt);
  if (positions.length > partitions || positions.some((offset) => offset > largest)) return undefined;
  return [...positions, ...Array.from({ length: partitions - positions.length }, () => 0n)];
}
