import type { PartitionLag } from '@weir/event-log';
import { GateUnavailable } from './availability.ts';

/**
 * A probe that fails until the gate has heard, once, of every decision there was when it was asked first: what was blocked while the gate was away must not
 * leave on what it knew before. From then on the log is asked only with `always`, to know that it is there.
 */
export function heardAll(lag: () => Promise<readonly PartitionLag[]>, { always }: { always: boolean }): () => Promise<void> {
  let ends: ReadonlyMap<string, bigint> | undefined;
  let hasHeardAll = false;
  return async () => {
    if (hasHeardAll && !always) return;
    const lags = await lag();
    // A group that has no place in the log yet has heard nothing.
    if (hasHeardAll || lags.length === 0) return requireHeard(hasHeardAll);
    const known = (ends ??= new Map(lags.map((each) => [nameOf(each), each.end])));
    hasHeardAll = lags.every((each) => each.end - each.lag >= (known.get(nameOf(each)) ?? 0n));
    requireHeard(hasHeardAll);
  };
}

function nameOf({ topic, partition }: PartitionLag): string {
  return `${topic}/${partition}`;
}

function requireHeard(hasHeardAll: boolean): void {
  if (!hasHeardAll) throw new GateUnavailable('decisions made before the start are still being read');
}
