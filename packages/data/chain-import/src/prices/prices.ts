import { multiply } from '../decimal.ts';
import type { TransferRow } from '../rows.ts';
import { decimal, required, Unusable } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import { readTable } from '../source/table.ts';
import { parseInstant } from '../time.ts';

/** Daily prices of one coin, or with a column `coin`. */
export interface PriceFile {
  readonly path: string;
  readonly coin?: string;
}

/** USD for one whole coin, as decimal text, by coin and UTC day. */
export type Prices = ReadonlyMap<string, string>;

const keyOf = (coin: string, day: string): string => `${day} ${coin}`;
/** Kept in memory: 100 coins for 80 years. */
const mostPrices = 3_000_000;
/** Decimal places of USD values. */
const places = 8;

/**
 * Reads tables with the columns `date` and `usd`, and `coin` where the file has no coin of its own.
 * Throws at a broken row: a wrong price would be worse than none.
 */
export async function readPrices(files: readonly PriceFile[]): Promise<Prices> {
  const prices = new Map<string, string>();
  for (const { path, coin } of files) {
    const columns = [['date'], ['usd'], ...(coin === undefined ? [['coin']] : [])];
    await readTable(path, columns, (fields) => {
      addPrice(prices, fields, coin);
      if (prices.size > mostPrices) throw new Unusable(`more than ${mostPrices} prices`);
    });
  }
  return prices;
}

function addPrice(prices: Map<string, string>, fields: Fields, ofFile: string | undefined): void {
  const at = parseInstant(required(fields, 'date'));
  const usd = decimal(fields, 'usd');
  if (at === undefined) throw new Unusable('date is no time');
  // An empty cell leaves that day's values unknown.
  if (usd !== undefined) prices.set(keyOf(ofFile ?? required(fields, 'coin'), dayOf(at)), usd);
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10);

/**
 * Fills a missing USD value with amount × price of the UTC day, rounded to 8 places, halves to even.
 * It stays unknown, not zero, without an amount or a price.
 */
export function priced(row: TransferRow, prices: Prices): TransferRow {
  if (row.usd_value !== null || row.amount === null) return row;
  const at = parseInstant(row.time);
  const price = at === undefined ? undefined : prices.get(keyOf(row.coin, dayOf(at)));
  return price === undefined ? row : { ...row, usd_value: multiply(row.amount, price, places) };
}
