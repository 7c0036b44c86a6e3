import type { Migration } from '@weir/postgres';

export const intakeMigrations: readonly Migration[] = [
  {
    id: 'intake/0001-initial',
    sql: `
      CREATE SCHEMA intake;
      -- Each transfer's first content and its request; its events derive from these at any time.
      CREATE TABLE intake.transfers (
        screening_id uuid NOT NULL,
        given jsonb NOT NULL,
        request jsonb NOT NULL,
        kind text GENERATED ALWAYS AS (request ->> 'kind') STORED,
        -- Both services can derive every id; the kind keeps one from blocking the other's transfer by taking its id first.
        PRIMARY KEY (screening_id, kind));
      -- deposit-ingest and the gate each see and write only transfers of their kind. The table's owner is exempt.
      CREATE FUNCTION intake.kind_of(role text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE role WHEN 'weir_deposit_ingest' THEN 'deposit' WHEN 'weir_withdrawal_gate' THEN 'withdrawal' END;
      CREATE POLICY own_kind ON intake.transfers USING (kind = intake.kind_of(current_user::text));
      ALTER TABLE intake.transfers ENABLE ROW LEVEL SECURITY;`,
  },
];
