import type { Clock } from '@weir/clock';

/** How far a group of consumers is, on whatever log. */
export interface GroupLag {
  readonly name: string;
  /** Records that it has yet to read. */
  readonly lag: bigint;
  /** The sum of its offsets: it grows while the group gets on. */
  readonly committed: bigint;
}

/** A consumer that has something to read and does not get on in this time stands still. */
const patienceMs = 6_000;

/** Those of `behind` that still have records to read, and have not moved in all that time. */
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
