import type { Migration } from '@weir/postgres';

export const coinModule = 'coins';

export const coinMigrations: readonly Migration[] = [
  {
    id: 'coins/0001-initial',
    sql: `
      CREATE SCHEMA coins;
      CREATE TABLE coins.added (
        symbol text PRIMARY KEY,
        chain text NOT NULL,
        -- Normalised.
        contract text NOT NULL,
        decimals smallint NOT NULL,
        added_at timestamptz NOT NULL DEFAULT now(),
        UNIQUE (chain, contract));`,
  },
];
