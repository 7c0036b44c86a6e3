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
      -- deposit-ingest and the gate each see and write only transfers of their kind, and a member of both roles those of both. The
      -- table's owner is exempt.
      CREATE FUNCTION intake.role_of(kind text) RETURNS regrole LANGUAGE sql STABLE PARALLEL SAFE
        RETURN to_regrole(CASE kind WHEN 'deposit' THEN 'weir_deposit_ingest' WHEN 'withdrawal' THEN 'weir_withdrawal_gate' END);
      CREATE POLICY own_kind ON intake.transfers USING (pg_has_role(current_user, intake.role_of(kind), 'USAGE'));
      ALTER TABLE intake.transfers ENABLE ROW LEVEL SECURITY;`,
  },
];
