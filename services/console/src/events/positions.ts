/** The next offset of each partition of a topic, in their order. */
export type Positions = readonly bigint[];

/** Of each topic of a stream, in the order of the topics. Undefined: the stream does not read it. */
export type Place = (bigint[] | undefined)[];

const largest = 2n ** 63n - 1n;

/** The id of an event: where a client goes on that has seen it. Topics at the end that are not read are left out. */
export function encodePlace(place: Place): string {
  return place
    .map((positions) => positions?.join('.') ?? '')
    .join('_')
    .replace(/_+$/, '');
}

/** Undefined for another text, or for more topics or partitions than there are. A partition that was added since begins at its start. */
export function decodePlace(id: string, partitions: readonly number[]): Place | undefined {
  if (!/\d/.test(id)) return undefined;
  const groups = id.split('_');
  if (groups.length > partitions.length || groups.some((group) => !/^(\d{1,19}(\.\d{1,19})*)?$/.test(group))) return undefined;
  const place = partitions.map((count, topic) => {
    const group = groups[topic] ?? '';
    if (group === '') return undefined;
    const positions = group.split('.').map(BigInt);
    return [...positions, ...Array.from({ length: Math.max(count - positions.length, 0) }, () => 0n)];
  });
  const isPossible = place.every((positions, topic) =>
    positions === undefined ? true : positions.length === partitions[topic] && positions.every((offset) => offset <= largest),
  );
  return isPossible ? place : undefined;
}
