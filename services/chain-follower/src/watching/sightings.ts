import { fromUnits, type TransferRow } from '@weir/chain-import';
import { type Chain, findCoin, parseAddress, parseTxid } from '@weir/chains';

/** Money that moves at one place of a transaction: an output, a log, or a payment within it. */
export interface Sighting {
  readonly txid: string;
  readonly position: number;
  /** Several for an output that several addresses paid. */
  readonly from: ReadonlySet<string>;
  readonly to: string;
  readonly coin: string;
  /** Decimal, in whole coins. */
  readonly amount: string;
  /** Of the transfers themselves; undefined: not known. */
  readonly usd: string | undefined;
  readonly time: string;
}

/** Of each place one sighting: an output that several addresses paid has a row for each. `unknown`: rows of coins that nobody has named. */
export function sightingsOf(chain: Chain, rows: readonly TransferRow[]): { sightings: Sighting[]; unknown: number } {
  let unknown = 0;
  const parts = Map.groupBy(rows, ({ txid, position, to_address, coin }) => JSON.stringify([txid, position, to_address, coin]));
  const sightings = [...parts.values()].flatMap((same): Sighting[] => {
    const [{ position, to_address, coin, time } = same[0] as TransferRow] = same;
    const txid = parseTxid(chain, same[0]?.txid ?? '');
    const to = parseAddress(chain, to_address);
    const from = same.map(({ from_address }) => parseAddress(chain, from_address));
    if (txid === undefined || to === undefined || from.some((address) => address === undefined)) return [];
    const amount = sum(same.map((row) => row.amount));
    if (amount === undefined || findCoin(coin) === undefined) {
      unknown += same.length;
      return [];
    }
    const usd = sum(same.map((row) => row.usd_value));
    return amount === '0' ? [] : [{ txid, position, from: new Set(from as string[]), to, coin, amount, usd, time }];
  });
  return { sightings, unknown };
}

/** Undefined when a part is not known. */
function sum(amounts: readonly (string | null)[]): string | undefined {
  if (amounts.some((amount) => amount === null)) return undefined;
  const parts = (amounts as readonly string[]).map((amount) => amount.split('.'));
  const places = Math.max(...parts.map(([, fraction = '']) => fraction.length));
  const units = parts.reduce((total, [whole = '', fraction = '']) => total + BigInt(whole + fraction.padEnd(places, '0')), 0n);
  return fromUnits(units, places);
}
