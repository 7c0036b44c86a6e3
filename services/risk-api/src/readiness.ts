import { type ChainDataSettings, readChainData } from '@weir/chain-store';
import { type Clock, within } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { RunQueue } from './runs/queue.ts';

export interface Readiness {
  readonly ready: () => Promise<boolean>;
  /** Names the unavailable components. */
  readonly unavailable: () => Promise<readonly string[]>;
  /** Names the unavailable components that the service can do without. */
  readonly degraded: () => Promise<readonly string[]>;
  /** Warnings that leave the service ready. */
  readonly warnings: () => Promise<readonly string[]>;
}

export function createReadiness(parts: { db: Queryable; queue: RunQueue; clock: Clock; settings: ChainDataSettings }): Readiness {
  const { db, queue, clock, settings } = parts;
  const ready = (): Promise<boolean> => isReachable(db, clock);
  return {
    ready,
    unavailable: async () => ((await ready()) ? [] : ['database']),
    degraded: async () => ((await queue.isAway()) ? ['redis'] : []),
    // While the database is unavailable, readiness reports nothing else.
    warnings: () => {
      const read = readChainData(db, settings).then((status) => status.warnings);
      return orWhenAway(read, [], clock);
    },
  };
}

const readyLimitMs = 2_000;

async function isReachable(db: Queryable, clock: Clock): Promise<boolean> {
  const asked = db.query('SELECT 1').then(() => true);
  return orWhenAway(asked, false, clock);
}

async function orWhenAway<T>(asked: Promise<T>, instead: T, clock: Clock): Promise<T> {
  const answer = asked.catch(() => instead);
  return within(clock, readyLimitMs, answer, { late: () => instead });
}
