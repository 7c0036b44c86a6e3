import { type ChainData, type ChainDataSettings, readChainData } from '@weir/chain-store';
import { type Clock, within } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { ChainLagView } from '@weir/service-kit';
import type { RunQueue } from './runs/queue.ts';

export interface Readiness {
  readonly ready: () => Promise<boolean>;
  /** Names the unavailable components. */
  readonly unavailable: () => Promise<readonly string[]>;
  /** Names the unavailable components that the service can do without. */
  readonly degraded: () => Promise<readonly string[]>;
  /** Warnings that leave the service ready. */
  readonly warnings: () => Promise<readonly string[]>;
  /** How far followed chains are stored. */
  readonly chains: () => Promise<readonly ChainLagView[]>;
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
    chains: () => {
      const read = readChainData(db, settings).then((status) => status.chains.flatMap(lagOf));
      return orWhenAway(read, [], clock);
    },
  };
}

function lagOf({ chain, lag }: ChainData): ChainLagView[] {
  if (lag === null) return [];
  const seconds = (ms: number | null): number | null => (ms === null ? null : Math.max(0, Math.round(ms / 1_000)));
  return [{ chain, lag_blocks: lag.blocks, lag_seconds: seconds(lag.ageMs), behind_seconds: seconds(lag.behindMs) }];
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
