import { readCoin, useAddedCoins } from '@weir/chains';
import { systemClock } from '@weir/clock';
import { listAddedCoins } from '@weir/coin-store';
import { openDatabase } from '@weir/installation';
import { openPool } from '@weir/postgres';
import { lineOf } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { note } from '../output.ts';
import type { AllSettings } from '../settings.ts';

/** Reads the coins that the installation has added, where there is one and a coin is not known without them. */
export async function knowCoins(coins: Iterable<string>, flags: PlaceFlags, settings: AllSettings): Promise<void> {
  if ([...coins].every((coin) => readCoin(coin) !== undefined)) return;
  try {
    const database = await openDatabase({ ...settings, isFolderNamed: flags.dataDir !== undefined, clock: systemClock });
    if (database === undefined) return;
    const pool = openPool({ url: database.url, max: 1 });
    try {
      const { rows } = await pool.query<{ exists: boolean }>("SELECT to_regclass('coins.added') IS NOT NULL AS exists");
      if (rows[0]?.exists === true) useAddedCoins(await listAddedCoins(pool));
    } finally {
      await pool.end();
      await database.close();
    }
  } catch (error) {
    note(`weir: the added coins could not be read: ${lineOf(error)}`);
  }
}
