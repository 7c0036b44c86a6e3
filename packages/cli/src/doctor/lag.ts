import type { Clock } from '@weir/clock';

/** The progress of a consumer group, on either log. */
export interface GroupLag {
  readonly name: string;
  /** Records yet to read. */
  readonly lag: bigint;
  /** Sum of the committed offsets, which grows while the group makes progress. */
  readonly committed: bigint;
}

/** A consumer with records to read and no progress in this time is stuck. */
const patienceMs = 6_000;

/** The groups of `behind` that made no progress in all that time. */
export async function standingStill<G extends GroupLag>(
  behind: readonly G[],
  look: () => Promise<readonly G[]>,
  clock: Clock,
): Promise<G[]> {
  let still = [...behind];
  const end = clock.monotonic() + patienceMs;
  while (still.length > 0 && clock.monotonic() < end) {
    await clock.sleep(250);
    const now = await look();
    still = still.filter(({ name, committed }) =>
      now.some((group) => group.name === name && group.lag > 0n && group.committed <= committed),
    );
  }
  return still;
}

export const listed = (groups: readonly GroupLag[]): string => groups.map(({ name, lag }) => `${name} ${lag}`).join(', ');
