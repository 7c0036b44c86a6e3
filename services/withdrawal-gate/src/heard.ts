import type { Clock } from '@weir/clock';
import type { PartitionLag } from '@weir/event-log';
import { GateUnavailable } from './availability.ts';

/** Longer than a partition stands still when its holder is killed, and far shorter than a permit lives. */
const stillLimitMs = 15_000;
/** How often a log that cannot be away by itself is asked how far the gate has read. */
const lookEveryMs = 1_000;

export interface HeardOptions {
  readonly clock: Clock;
  /** The log may be away though the database is there, so it is asked each time. */
  readonly always: boolean;
}

/**
 * A probe that fails until the gate has heard, once, of every decision there was when it was asked first: what was blocked while the gate was away must not
 * leave on what it knew before. Later it fails while decisions are waiting in a partition that has stood still for a quarter of a minute.
 */
export function heardAll(lag: () => Promise<readonly PartitionLag[]>, { clock, always }: HeardOptions): () => Promise<void> {
  let ends: ReadonlyMap<string, bigint> | undefined;
  let hasHeardAll = false;
  let askAt = 0;
  /** Partitions with decisions to read: how far they were read when that was seen first, and when. */
  let behind = new Map<string, { readonly read: bigint; readonly since: number }>();
  return async () => {
    if (hasHeardAll && !always && clock.monotonic() < askAt) return requireMoving();
    const lags = await lag();
    askAt = clock.monotonic() + lookEveryMs;
    // A group that has no place in the log yet has heard nothing.
    if (!hasHeardAll && lags.length > 0) {
      const known = (ends ??= new Map(lags.map((each) => [nameOf(each), each.end])));
      hasHeardAll = lags.every((each) => each.end - each.lag >= (known.get(nameOf(each)) ?? 0n));
    }
    if (!hasHeardAll) throw new GateUnavailable('decisions made before the start are still being read');
    behind = new Map(
      lags.flatMap((each) => {
        const read = each.end - each.lag;
        const before = behind.get(nameOf(each));
        return each.lag === 0n ? [] : [[nameOf(each), before?.read === read ? before : { read, since: clock.monotonic() }]];
      }),
    );
    requireMoving();
  };

  function requireMoving(): void {
    const still = [...behind.values()].some(({ since }) => clock.monotonic() - since > stillLimitMs);
    if (still) throw new GateUnavailable('decisions are waiting, and are not being read');
  }
}

function nameOf({ topic, partition }: PartitionLag): string {
  return `${topic}/${partition}`;
}
