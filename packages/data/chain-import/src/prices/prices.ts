import { multiply } from '../decimal.ts';
import type { TransferRow } from '../rows.ts';
import { decimal, required, Unusable } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import { readTable } from '../source/table.ts';
import { parseInstant } from '../time.ts';

/** Prices of one coin by day or hour, or with a column `coin`. */
export interface PriceFile {
  readonly path: string;
  readonly coin?: string;
}

export interface Prices {
  /** USD for one whole coin, as decimal text: of that hour, else of that UTC day, else of the day before. Undefined: not known. */
  usdAt(coin: string, at: Date): string | undefined;
  /** The begin of the newest hour or day with a price; undefined: there is none. */
  readonly newest: Date | undefined;
}

/** Kept in memory: 100 coins for 80 years, or for three years by the hour. */
const mostPrices = 3_000_000;
/** A table by day has no price of today until today is over. */
const dayMs = 86_400_000;
/** Decimal places of USD values. */
const places = 8;

/**
 * Reads tables with the columns `date` and `usd`, and `coin` where the file has no coin of its own. A date with a time of day is a price
 * of that hour; for hours without one, the last of a day is that of the day. Throws at a broken row: a wrong price would be worse than
 * none.
 */
export async function readPrices(files: readonly PriceFile[]): Promise<Prices> {
  const prices = new PriceTable();
  for (const { path, coin } of files) {
    const columns = [['date'], ['usd'], ...(coin === undefined ? [['coin']] : [])];
    await readTable(path, columns, (fields) => {
      addPrice(prices, fields, coin);
      if (prices.size > mostPrices) throw new Unusable(`more than ${mostPrices} prices`);
    });
  }
  return prices;
}

class PriceTable implements Prices {
  /** By the first characters of the time: of a day or of an hour. */
  readonly #usd = new Map<string, string>();
  #newest: string | undefined;

  get size(): number {
    return this.#usd.size;
  }

  get newest(): Date | undefined {
    if (this.#newest === undefined) return undefined;
    return parseInstant(this.#newest.length === dayLength ? this.#newest : `${this.#newest}:00Z`);
  }

  add(coin: string, at: Date, isHour: boolean, usd: string): void {
    for (const length of isHour ? [dayLength, hourLength] : [dayLength]) this.#usd.set(keyOf(coin, at, length), usd);
    const begin = at.toISOString().slice(0, isHour ? hourLength : dayLength);
    if (this.#newest === undefined || begin > this.#newest) this.#newest = begin;
  }

  usdAt(coin: string, at: Date): string | undefined {
    return (
      this.#usd.get(keyOf(coin, at, hourLength)) ??
      this.#usd.get(keyOf(coin, at, dayLength)) ??
      this.#usd.get(keyOf(coin, new Date(at.getTime() - dayMs), dayLength))
    );
  }
}

const [dayLength, hourLength] = ['2026-01-31'.length, '2026-01-31T00'.length];
const keyOf = (coin: string, at: Date, length: number): string => `${at.toISOString().slice(0, length)} ${coin}`;

function addPrice(prices: PriceTable, fields: Fields, ofFile: string | undefined): void {
  const date = required(fields, 'date');
  const at = parseInstant(date);
  const usd = decimal(fields, 'usd');
  if (at === undefined) throw new Unusable('date is no time');
  // An empty cell leaves that day's values unknown.
  if (usd !== undefined) prices.add(ofFile ?? required(fields, 'coin'), at, date.trim().length > dayLength, usd);
}

/**
 * Fills a missing USD value with amount × price of the hour, the UTC day or the day before, rounded to 8 places, halves to even.
 * It stays unknown, not zero, without an amount or a price.
 */
export function priced(row: TransferRow, prices: Prices): TransferRow {
  if (row.usd_value !== null || row.amount === null) return row;
  const at = parseInstant(row.time);
  const price = at === undefined ? undefined : prices.usdAt(row.coin, at);
  return price === undefined ? row : { ...row, usd_value: multiply(row.amount, price, places) };
}
