import type { Migration } from '@weir/postgres';

/** How much is known of each chain, and how recent it is. */
export const chainDataMigrations: readonly Migration[] = [
  {
    id: 'risk-api/0014-chain-data',
    sql: `
      -- One row a chain, kept in the transaction that imports, for counting millions of rows takes minutes.
      CREATE TABLE chain.chain_data (
        chain text COLLATE "C" PRIMARY KEY,
        labels bigint NOT NULL DEFAULT 0,
        labels_imported_at timestamptz, -- when labels were last imported, new or known
        transfers bigint NOT NULL DEFAULT 0,
        newest_transfer_at timestamptz);
      -- Chains of an import's rows: the same labels imported again are still right.
      ALTER TABLE chain.import_runs ADD chains text[] NOT NULL DEFAULT '{}';`,
  },
  {
    id: 'risk-api/0015-chain-data-before',
    kind: 'batches',
    // What was imported before the table was there.
    sql: `
      INSERT INTO chain.chain_data (chain, labels, labels_imported_at, transfers, newest_transfer_at)
      SELECT coalesce(l.chain, t.chain), coalesce(l.labels, 0), CASE WHEN l.labels > 0 THEN now() END, coalesce(t.transfers, 0), t.newest
      FROM (SELECT chain, count(*) AS labels FROM chain.labels GROUP BY chain) l
      FULL JOIN (SELECT chain, count(*) AS transfers, max(at) AS newest FROM chain.transfers GROUP BY chain) t ON t.chain = l.chain
      ON CONFLICT (chain) DO NOTHING`,
  },
];

/** From which the price of a coin is told. */
export const pricesMigration: Migration = {
  id: 'risk-api/0018-prices',
  sql: `
    -- Sums of the transfers of a UTC day with a known amount and value; their quotient is the price. Filled by imports from this step on.
    CREATE TABLE chain.prices (
      coin text COLLATE "C" NOT NULL, day date NOT NULL, amount numeric NOT NULL, usd numeric NOT NULL,
      PRIMARY KEY (coin, day));`,
};
