/** Each is a number and a time; beyond it, the ages of a long lag become less exact. */
const mostSeen = 1_000;

/** Estimates how long the oldest unread record of a partition has waited, from the lengths that the partition was seen to have. */
export class LagAges {
  readonly #seen = new Map<string, { readonly end: bigint; readonly atMs: number }[]>();

  /** In milliseconds, and at most what it is; 0 without a lag. Times come from one monotonic clock. */
  ageMs(partition: string, { end, lag }: { readonly end: bigint; readonly lag: bigint }, atMs: number): number {
    const position = end - lag;
    const seen = (this.#seen.get(partition) ?? []).filter((one) => one.end > position);
    if (lag > 0n && seen.at(-1)?.end !== end) seen.push({ end, atMs });
    if (seen.length > mostSeen) seen.splice(1, 1);
    this.#seen.set(partition, seen);
    return lag > 0n ? atMs - (seen[0]?.atMs ?? atMs) : 0;
  }
}
