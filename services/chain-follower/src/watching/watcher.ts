import { type Block, multiply } from '@weir/chain-import';
import { findWatched, newestPrice, type WatchedAddress } from '@weir/chain-store';
import type { Chain } from '@weir/chains';
import { type DepositDetected, eventId, screeningId } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';
import type { NewEvent } from '@weir/service-kit';
import { storePayments } from './payments.ts';
import { placedInTransactions } from './place-in-transaction.ts';
import { type Sighting, sightingsOf } from './sightings.ts';

/** What the blocks of a batch mean for the exchange's own addresses. */
export interface Watched {
  readonly deposits: readonly NewEvent<'deposits.detected'>[];
  /** Payments from watched addresses that no redeemed permit allows. */
  readonly unmatched: readonly Sighting[];
  /** Transfers from or to watched addresses of coins that nobody has named. */
  readonly unknown: number;
}

const nothing: Watched = { deposits: [], unmatched: [], unknown: 0 };
const dayMs = 86_400_000;
const usdPlaces = 2;

/**
 * Finds deposits to watched addresses and payments from them, in the transaction that stores the blocks. So each is found once. Between
 * two watched addresses nothing is a deposit or a payment.
 */
export async function watchBlocks(tx: Queryable, chain: Chain, blocks: readonly Block[]): Promise<Watched> {
  const rows = blocks.flatMap((block) => placedInTransactions(chain, block.rows));
  const { sightings } = sightingsOf(chain, rows);
  const addresses = new Set(sightings.flatMap(({ from, to }) => [to, ...from]));
  if (addresses.size === 0) return nothing;
  const watched = await findWatched(tx, chain, [...addresses]);
  if (watched.size === 0) return nothing;
  const counts = (address: string, { time }: Sighting): boolean => (watched.get(address)?.since.getTime() ?? Infinity) <= Date.parse(time);
  const isOwn = ({ from }: Sighting): boolean => [...from].some((address) => watched.has(address));
  const deposits = sightings.filter((seen) => counts(seen.to, seen) && !isOwn(seen));
  const payments = sightings.filter((seen) => [...seen.from].some((address) => counts(address, seen)) && !watched.has(seen.to));
  const own = rows.filter(({ from_address: from, to_address: to }) => watched.has(from) || watched.has(to));
  return {
    deposits: await storeDeposits(tx, chain, deposits, watched),
    unmatched: await storePayments(tx, chain, payments),
    unknown: sightingsOf(chain, own).unknown,
  };
}

/** Marks the deposits of the blocks above `height` as taken back, and forgets payments, which may come again. */
export async function takeBackWatched(tx: Queryable, chain: Chain, height: number): Promise<readonly string[]> {
  const gone = 'txid IN (SELECT unnest(txids) FROM chain.blocks WHERE chain = $1 AND height > $2)';
  const { rows } = await tx.query<{ id: string }>(
    `UPDATE chain.watched_deposits SET taken_back_at = now() WHERE chain = $1 AND taken_back_at IS NULL AND ${gone} RETURNING deposit_id AS id`,
    [chain, height],
  );
  await tx.query(`DELETE FROM chain.watched_payments WHERE chain = $1 AND ${gone}`, [chain, height]);
  return rows.map(({ id }) => id);
}

/** The events of those that were not announced before. One that comes again after a reorganisation is no longer taken back. */
async function storeDeposits(
  tx: Queryable,
  chain: Chain,
  seen: readonly Sighting[],
  watched: ReadonlyMap<string, WatchedAddress>,
): Promise<NewEvent<'deposits.detected'>[]> {
  if (seen.length === 0) return [];
  const byId = new Map(seen.map((one) => [`${chain}:${one.txid}:${one.position}`, one]));
  const all = [...byId.values()];
  const { rows } = await tx.query<{ id: string; isNew: boolean }>(
    `INSERT INTO chain.watched_deposits AS d (deposit_id, chain, txid, coin, amount, at)
     SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::numeric[], $6::timestamptz[]) ORDER BY 1
     ON CONFLICT (deposit_id) DO UPDATE SET taken_back_at = NULL WHERE d.coin = excluded.coin AND d.amount = excluded.amount
     RETURNING deposit_id AS id, xmax = 0 AS "isNew"`,
    [
      [...byId.keys()],
      all.map(() => chain),
      all.map(({ txid }) => txid),
      all.map(({ coin }) => coin),
      all.map(({ amount }) => amount),
      all.map(({ time }) => time),
    ],
  );
  const events: NewEvent<'deposits.detected'>[] = [];
  const prices = new KnownPrices(tx);
  for (const { id, isNew } of rows) {
    const one = byId.get(id);
    if (!isNew || one === undefined) continue;
    const usd = await usdOf(one, prices);
    events.push(toEvent(chain, id, one, { user: watched.get(one.to)?.userId ?? null, usd }));
  }
  return events;
}

/** The value that the price table gave the transfer, else by a known price; null: none is known, and none is made up. */
async function usdOf({ usd, coin, time, amount }: Sighting, prices: KnownPrices): Promise<string | null> {
  if (usd !== undefined) return multiply(usd, '1', usdPlaces);
  const price = await prices.of(coin, time.slice(0, 10));
  return price === undefined ? null : multiply(amount, price, usdPlaces);
}

/** Prices of the database, each read once. */
class KnownPrices {
  readonly #tx: Queryable;
  readonly #read = new Map<string, string | undefined>();

  constructor(tx: Queryable) {
    this.#tx = tx;
  }

  /** Of the day or the day before. */
  async of(coin: string, day: string): Promise<string | undefined> {
    const key = `${coin} ${day}`;
    if (!this.#read.has(key)) {
      const price = await newestPrice(this.#tx, coin, day);
      this.#read.set(key, price !== undefined && Date.parse(day) - Date.parse(price.day) <= dayMs ? price.usd : undefined);
    }
    return this.#read.get(key);
  }
}

function toEvent(
  chain: Chain,
  deposit_id: string,
  { txid, from, to, coin, amount, time }: Sighting,
  { user, usd }: { user: string | null; usd: string | null },
): NewEvent<'deposits.detected'> {
  const [sender = null] = from.size === 1 ? from : [];
  const at = Date.parse(time);
  const data: DepositDetected = {
    deposit_id,
    chain,
    coin,
    txid,
    from_address: sender,
    to_address: to,
    amount,
    usd_value: usd,
    user_id: user,
    detected_at: at,
    memo: null,
  };
  const screening = screeningId('deposit', deposit_id);
  return {
    topic: 'deposits.detected',
    id: eventId('deposits.detected', screening),
    key: deposit_id,
    screeningId: screening,
    time: at,
    data,
  };
}
