import type { Chain } from '@weir/chains';
import type { Queryable } from '@weir/postgres';

/** Blocks kept for each followed chain. No chain has taken back as many. */
export const keptBlocks = 2_000;

export const followedChains = `
  -- How far each followed chain is stored. The transaction that stores or removes blocks moves it.
  CREATE TABLE chain.followed (
    chain text COLLATE "C" PRIMARY KEY, first_block bigint NOT NULL,
    height bigint, hash text COLLATE "C", block_at timestamptz, -- the last stored block; null: none
    head bigint, seen_at timestamptz, -- the nodes' newest block, and when they last answered
    blocks bigint NOT NULL DEFAULT 0, reorganisations bigint NOT NULL DEFAULT 0, last_error text);
  -- The last blocks of each followed chain, so that a reorganisation finds what it takes back.
  CREATE TABLE chain.blocks (
    chain text COLLATE "C" NOT NULL, height bigint NOT NULL, hash text COLLATE "C" NOT NULL, at timestamptz NOT NULL,
    txids text[] NOT NULL, -- transactions with transfers
    PRIMARY KEY (chain, height))`;

export const caughtUpChains = `
  -- When the nodes last had no confirmed block that is not stored; null: never yet.
  ALTER TABLE chain.followed ADD COLUMN IF NOT EXISTS caught_up_at timestamptz`;

export interface FollowedChain {
  readonly chain: Chain;
  readonly firstBlock: number;
  /** The last stored block; null before the first. */
  readonly height: number | null;
  readonly hash: string | null;
  readonly blockAt: Date | null;
  /** The newest block that most nodes have; null before they answered. */
  readonly head: number | null;
  readonly seenAt: Date | null;
  /** When the nodes last had no confirmed block that is not stored; null: never yet. */
  readonly caughtUpAt: Date | null;
  readonly blocks: number;
  readonly reorganisations: number;
  /** Why the last attempt failed; null: it did not. */
  readonly lastError: string | null;
}

const columns = `chain, first_block::float8 AS "firstBlock", height::float8, hash, block_at AS "blockAt", head::float8, seen_at AS "seenAt",
  caught_up_at AS "caughtUpAt", blocks::float8, reorganisations::float8, last_error AS "lastError"`;

type Row = FollowedChain & { readonly [column: string]: unknown };

export async function readFollowedChains(db: Queryable): Promise<FollowedChain[]> {
  return (await db.query<Row>(`SELECT ${columns} FROM chain.followed ORDER BY chain`)).rows;
}

export async function readFollowedChain(db: Queryable, chain: Chain): Promise<FollowedChain | undefined> {
  return (await db.query<Row>(`SELECT ${columns} FROM chain.followed WHERE chain = $1`, [chain])).rows[0];
}

/** A chain that is followed already keeps its first block. */
export async function beginFollowing(db: Queryable, chain: Chain, firstBlock: number): Promise<void> {
  await db.query('INSERT INTO chain.followed (chain, first_block) VALUES ($1, $2) ON CONFLICT DO NOTHING', [chain, firstBlock]);
}

export async function recordHead(db: Queryable, chain: Chain, head: number, at: Date): Promise<void> {
  await db.query('UPDATE chain.followed SET head = $2, seen_at = $3, last_error = NULL WHERE chain = $1', [chain, head, at]);
}

export async function recordCaughtUp(db: Queryable, chain: Chain, at: Date): Promise<void> {
  await db.query('UPDATE chain.followed SET caught_up_at = $2 WHERE chain = $1', [chain, at]);
}

export async function recordFollowError(db: Queryable, chain: Chain, reason: string): Promise<void> {
  await db.query('UPDATE chain.followed SET last_error = $2 WHERE chain = $1', [chain, reason]);
}

export interface StoredHash {
  readonly height: number;
  readonly hash: string;
}

/** The kept blocks, lowest first. */
export async function keptHashes(db: Queryable, chain: Chain): Promise<StoredHash[]> {
  const { rows } = await db.query<StoredHash & Record<string, unknown>>(
    `SELECT height::float8, hash FROM chain.blocks WHERE chain = $1 ORDER BY height LIMIT ${keptBlocks}`,
    [chain],
  );
  return rows;
}
