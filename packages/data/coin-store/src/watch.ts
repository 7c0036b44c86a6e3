import { useAddedCoins } from '@weir/chains';
import { type Clock, repeat } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import { listAddedCoins } from './added-coins.ts';

/** A coin is added by a person who then tries it. */
const everyMs = 1_000;

export interface AddedCoinsWatch {
  stop(): Promise<void>;
}

/** Gives this process the added coins now, and within a second of each change. While the database is away the last ones stay. */
export async function watchAddedCoins(options: { pool: Pool; clock: Clock; onError: (error: unknown) => void }): Promise<AddedCoinsWatch> {
  const { pool, clock, onError } = options;
  const stop = new AbortController();
  let used = '[]';
  const read = async (): Promise<void> => {
    const coins = await listAddedCoins(pool);
    const text = JSON.stringify(coins);
    if (text === used) return;
    useAddedCoins(coins);
    used = text;
  };
  await read();
  const watching = repeat({ clock, every: everyMs, firstAfter: everyMs, signal: stop.signal, onError }, read);
  return {
    stop: async () => {
      stop.abort();
      await watching;
    },
  };
}
