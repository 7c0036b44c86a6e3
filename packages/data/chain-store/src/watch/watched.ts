import type { Chain } from '@weir/chains';
import type { Queryable } from '@weir/postgres';

export const watchedTables = `
  -- Addresses of the exchange. Transfers to them are deposits, and payments from them need a permit.
  CREATE TABLE chain.watched (
    chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, user_id text,
    since timestamptz NOT NULL, -- transfers of earlier blocks are none of its
    PRIMARY KEY (chain, address));
  -- Announced deposits, so that a reorganisation finds those that it takes back.
  CREATE TABLE chain.watched_deposits (
    deposit_id text COLLATE "C" PRIMARY KEY, chain text COLLATE "C" NOT NULL, txid text COLLATE "C" NOT NULL, coin text COLLATE "C" NOT NULL,
    amount numeric NOT NULL, at timestamptz NOT NULL, taken_back_at timestamptz);
  CREATE INDEX watched_deposits_txid ON chain.watched_deposits (chain, txid);
  CREATE INDEX watched_deposits_taken_back ON chain.watched_deposits (taken_back_at) WHERE taken_back_at IS NOT NULL;
  -- Payments from watched addresses, each with the withdrawal whose permit allows it; null: none does.
  CREATE TABLE chain.watched_payments (
    chain text COLLATE "C" NOT NULL, txid text COLLATE "C" NOT NULL, position bigint NOT NULL, from_address text COLLATE "C" NOT NULL,
    to_address text COLLATE "C" NOT NULL, coin text COLLATE "C" NOT NULL, amount numeric NOT NULL, at timestamptz NOT NULL,
    withdrawal_id text COLLATE "C" UNIQUE, PRIMARY KEY (chain, txid, position, to_address));
  CREATE INDEX watched_payments_without ON chain.watched_payments (at) WHERE withdrawal_id IS NULL`;

export const withdrawnDeposits = `
  ALTER TABLE chain.watched_deposits
    ADD COLUMN IF NOT EXISTS withdrawn boolean NOT NULL DEFAULT false, -- whether a revision says that it is taken back
    ADD COLUMN IF NOT EXISTS corrected_revision integer; -- the one that the last such correction was about
  CREATE INDEX watched_deposits_due ON chain.watched_deposits (deposit_id) WHERE withdrawn <> (taken_back_at IS NOT NULL)`;

export interface WatchedAddress {
  readonly chain: Chain;
  /** Normalised, as `parseAddress` of the package chains gives it. */
  readonly address: string;
  /** The customer whose deposits it receives; null: not known. */
  readonly userId: string | null;
  readonly since: Date;
}

const columns = 'chain, address, user_id AS "userId", since';
type Row = WatchedAddress & { readonly [column: string]: unknown };

/** An address that is watched already keeps its `since`, and gets the given customer. Returns how many are new. */
export async function watchAddresses(db: Queryable, added: readonly WatchedAddress[]): Promise<number> {
  const { rows } = await db.query<{ new: number }>(
    `WITH given AS (
       SELECT DISTINCT ON (chain, address) * FROM unnest($1::text[], $2::text[], $3::text[], $4::timestamptz[]) g (chain, address, user_id, since)),
     stored AS (
       INSERT INTO chain.watched AS w (chain, address, user_id, since) SELECT * FROM given ORDER BY chain, address
       ON CONFLICT (chain, address) DO UPDATE SET user_id = coalesce(excluded.user_id, w.user_id) RETURNING xmax = 0 AS is_new)
     SELECT count(*) FILTER (WHERE is_new)::float8 AS new FROM stored`,
    [
      added.map(({ chain }) => chain),
      added.map(({ address }) => address),
      added.map(({ userId }) => userId),
      added.map(({ since }) => since),
    ],
  );
  return rows[0]?.new ?? 0;
}

/** Returns how many were watched. */
export async function unwatchAddresses(db: Queryable, chain: Chain, addresses: readonly string[]): Promise<number> {
  return (await db.query('DELETE FROM chain.watched WHERE chain = $1 AND address = ANY ($2::text[])', [chain, addresses])).rowCount ?? 0;
}

/** In order of chain and address, after the given one. */
export async function listWatched(
  db: Queryable,
  { chain = null, after, limit }: { chain?: Chain | null; after?: Pick<WatchedAddress, 'chain' | 'address'> | undefined; limit: number },
): Promise<WatchedAddress[]> {
  const { rows } = await db.query<Row>(
    `SELECT ${columns} FROM chain.watched WHERE ($1::text IS NULL OR chain = $1) AND (chain, address) > ($2, $3) ORDER BY chain, address LIMIT $4`,
    [chain, after?.chain ?? '', after?.address ?? '', limit],
  );
  return rows;
}

export async function countWatched(db: Queryable): Promise<{ chain: Chain; addresses: number }[]> {
  const { rows } = await db.query<{ chain: Chain; addresses: number }>(
    'SELECT chain, count(*)::float8 AS addresses FROM chain.watched GROUP BY chain ORDER BY chain',
  );
  return rows;
}

/** Those of the given addresses that are watched, by address. */
export async function findWatched(db: Queryable, chain: Chain, addresses: readonly string[]): Promise<ReadonlyMap<string, WatchedAddress>> {
  const { rows } = await db.query<Row>(`SELECT ${columns} FROM chain.watched WHERE chain = $1 AND address = ANY ($2::text[])`, [
    chain,
    addresses,
  ]);
  return new Map(rows.map((row) => [row.address, row]));
}

/** A deposit whose screening does not say yet that the chain took it back, or has it again. */
export interface DueCorrection {
  readonly depositId: string;
  readonly isTakenBack: boolean;
  /** The revision that the correction before was about; null: there was none. */
  readonly after: number | null;
}

export async function dueCorrections(db: Queryable, limit: number): Promise<DueCorrection[]> {
  const { rows } = await db.query<DueCorrection & Record<string, unknown>>(
    `SELECT deposit_id AS "depositId", taken_back_at IS NOT NULL AS "isTakenBack", corrected_revision AS after FROM chain.watched_deposits
     WHERE withdrawn <> (taken_back_at IS NOT NULL) ORDER BY deposit_id LIMIT $1`,
    [limit],
  );
  return rows;
}

/** `revision`: the one that the correction is about. A reorganisation since then stays due. */
export async function recordCorrection(db: Queryable, { depositId, isTakenBack }: DueCorrection, revision: number): Promise<void> {
  await db.query('UPDATE chain.watched_deposits SET withdrawn = $2, corrected_revision = $3 WHERE deposit_id = $1', [
    depositId,
    isTakenBack,
    revision,
  ]);
}

/** A payment from a watched address. */
export interface WatchedPayment {
  readonly chain: Chain;
  readonly txid: string;
  readonly position: number;
  /** Several with a space between, for an output that several addresses paid. */
  readonly fromAddress: string;
  readonly toAddress: string;
  readonly coin: string;
  /** Decimal, in whole coins. */
  readonly amount: string;
  readonly at: Date;
  /** Null: no redeemed permit allows it. */
  readonly withdrawalId: string | null;
}

/** The newest first. `isAllowed`: also those with a withdrawal. */
export async function listWatchedPayments(
  db: Queryable,
  { chain, isAllowed, limit }: { chain: Chain | null; isAllowed: boolean; limit: number },
): Promise<WatchedPayment[]> {
  const { rows } = await db.query<WatchedPayment & Record<string, unknown>>(
    `SELECT chain, txid, position::float8 AS position, from_address AS "fromAddress", to_address AS "toAddress", coin, trim_scale(amount)::text AS amount, at, withdrawal_id AS "withdrawalId"
     FROM chain.watched_payments WHERE ($1::text IS NULL OR chain = $1) AND ($2 OR withdrawal_id IS NULL)
     ORDER BY at DESC, chain, txid, position LIMIT $3`,
    [chain, isAllowed, limit],
  );
  return rows;
}
