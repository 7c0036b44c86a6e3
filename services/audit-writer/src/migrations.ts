import type { Migration } from '@weir/postgres';

export const auditMigrations: readonly Migration[] = [
  {
    id: 'audit/0001-initial',
    sql: `
      CREATE SCHEMA audit;
      CREATE TABLE audit.entries (
        index bigint PRIMARY KEY CHECK (index >= 0),
        event_id uuid NOT NULL UNIQUE,
        topic text NOT NULL,
        key text NOT NULL,
        value bytea NOT NULL,
        headers jsonb NOT NULL,
        log_partition integer NOT NULL,
        log_offset bigint NOT NULL,
        event_time timestamptz NOT NULL,
        screening_id uuid,
        -- The event that had this id first with another content.
        conflicts_with uuid,
        recorded_at timestamptz NOT NULL DEFAULT clock_timestamp());
      CREATE INDEX entries_screening ON audit.entries (screening_id, index) WHERE screening_id IS NOT NULL;
      CREATE FUNCTION audit.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'audit.entries is append-only' USING ERRCODE = 'insufficient_privilege';
        END $$;
      CREATE TRIGGER entries_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit.entries
        FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
      -- Replication sessions skip ordinary triggers.
      ALTER TABLE audit.entries ENABLE ALWAYS TRIGGER entries_append_only;`,
  },
];
