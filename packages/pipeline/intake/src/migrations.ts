import type { Migration } from '@weir/postgres';

export const intakeMigrations: readonly Migration[] = [
  {
    id: 'intake/0001-initial',
    sql: `
      CREATE SCHEMA intake;
      -- Each transfer as it was first given, and the request made of it: its events are derived from these, whenever they are made.
      CREATE TABLE intake.transfers (
        screening_id uuid NOT NULL,
        given jsonb NOT NULL,
        request jsonb NOT NULL,
        kind text GENERATED ALWAYS AS (request ->> 'kind') STORED,
        -- Both services can derive every id: neither may keep the other's transfer out by storing its id first.
        PRIMARY KEY (screening_id, kind));
      -- deposit-ingest and the gate each see and write the transfers of their kind. The owner of the table is exempt.
      CREATE FUNCTION intake.kind_of(role text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE role WHEN 'weir_deposit_ingest' THEN 'deposit' WHEN 'weir_withdrawal_gate' THEN 'withdrawal' END;
      CREATE POLICY own_kind ON intake.transfers USING (kind = intake.kind_of(current_user::text));
      ALTER TABLE intake.transfers ENABLE ROW LEVEL SECURITY;`,
  },
];
