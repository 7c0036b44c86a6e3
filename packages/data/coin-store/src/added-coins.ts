import { type Chain, chains, type NewToken, type TokenCoin, tokenCoin } from '@weir/chains';
import { type Pool, type Queryable, transaction } from '@weir/postgres';

export interface AddedCoin extends TokenCoin {
  readonly added_at: Date;
}

export interface TokenProblem {
  /** Index of the token. */
  readonly at: number;
  readonly problem: string;
}

/** Those of this installation, by symbol. A chain that this version does not know is left out. */
export async function listAddedCoins(db: Queryable): Promise<AddedCoin[]> {
  const { rows } = await db.query<{ symbol: string; chain: string; contract: string; decimals: number; added_at: Date }>(
    'SELECT symbol, chain, contract, decimals, added_at FROM coins.added ORDER BY symbol',
  );
  return rows.flatMap((row) => (isChain(row.chain) ? [{ ...row, chain: row.chain, native: false }] : []));
}

function isChain(name: string): name is Chain {
  return chains.some((chain) => chain === name);
}

/** Adds all or none, and returns the new ones. `record` gets them in the same transaction. Tokens that are there already, with the same contract and decimals, change nothing. */
export async function addTokens(
  pool: Pool,
  tokens: readonly NewToken[],
  record: (tx: Queryable, added: readonly TokenCoin[]) => Promise<void> = async () => undefined,
): Promise<{ readonly added: readonly TokenCoin[] } | { readonly problems: readonly TokenProblem[] }> {
  return transaction(pool, async (tx) => {
    // Two people may add at once.
    await tx.query('LOCK TABLE coins.added IN SHARE ROW EXCLUSIVE MODE');
    const { added, problems } = plan(await listAddedCoins(tx), tokens);
    if (problems.length > 0) return { problems };
    await tx.query(
      'INSERT INTO coins.added (symbol, chain, contract, decimals) SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::smallint[])',
      [
        added.map(({ symbol }) => symbol),
        added.map(({ chain }) => chain),
        added.map(({ contract }) => contract),
        added.map(({ decimals }) => decimals),
      ],
    );
    await record(tx, added);
    return { added };
  });
}

function plan(known: readonly TokenCoin[], tokens: readonly NewToken[]): { added: TokenCoin[]; problems: TokenProblem[] } {
  const added: TokenCoin[] = [];
  const problems = tokens.flatMap((token, at) => {
    const all = [...known, ...added];
    const alone = tokenCoin(token, []);
    if (!('problem' in alone) && all.some((coin) => isSame(coin, alone))) return [];
    const coin = tokenCoin(token, all);
    if ('problem' in coin) return [{ at, problem: coin.problem }];
    added.push(coin);
    return [];
  });
  return { added, problems };
}

function isSame(one: TokenCoin, other: TokenCoin): boolean {
  return (['symbol', 'chain', 'contract', 'decimals'] as const).every((field) => one[field] === other[field]);
}

/** False if it is not one of the added ones. */
export async function removeCoin(db: Queryable, symbol: string): Promise<boolean> {
  const { rowCount } = await db.query('DELETE FROM coins.added WHERE symbol = $1', [symbol]);
  return rowCount === 1;
}
