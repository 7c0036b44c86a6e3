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
  {
    id: 'audit/0002-tree',
    sql: `
      -- What the next append needs. Proofs and verifiers never read it.
      CREATE TABLE audit.tree (
        id boolean PRIMARY KEY DEFAULT true CHECK (id),
        size bigint NOT NULL,
        frontier bytea[] NOT NULL);
      INSERT INTO audit.tree (size, frontier) VALUES (0, '{}');
      -- One row per batch, with 16 bytes of salt, 32 of commitment and 32 of hash for each leaf from index first on.
      CREATE TABLE audit.leaves (first bigint PRIMARY KEY, salts bytea NOT NULL, commitments bytea NOT NULL, hashes bytea NOT NULL);
      -- Hashes cannot be compressed, and a part of a stored value can be read alone.
      ALTER TABLE audit.leaves ALTER salts SET STORAGE EXTERNAL, ALTER commitments SET STORAGE EXTERNAL, ALTER hashes SET STORAGE EXTERNAL;
      -- The hash over 256^level leaves.
      CREATE TABLE audit.nodes (level smallint, index bigint, hash bytea NOT NULL, PRIMARY KEY (level, index));
      CREATE TRIGGER leaves_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit.leaves
        FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
      CREATE TRIGGER nodes_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit.nodes
        FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
      ALTER TABLE audit.leaves ENABLE ALWAYS TRIGGER leaves_append_only;
      ALTER TABLE audit.nodes ENABLE ALWAYS TRIGGER nodes_append_only;
      CREATE OR REPLACE FUNCTION audit.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          RAISE EXCEPTION 'audit.% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
        END $$;`,
  },
  {
    id: 'audit/0003-checkpoint',
    sql: `
      -- The latest, for readers and other replicas. The writer keeps its own outside the database, and verifies this one.
      CREATE TABLE audit.checkpoint (
        id boolean PRIMARY KEY DEFAULT true CHECK (id),
        size bigint NOT NULL,
        note text NOT NULL,
        signed_at timestamptz NOT NULL DEFAULT clock_timestamp());
      -- For the console, which shows where the events of a screening are.
      CREATE VIEW audit.positions AS
        SELECT screening_id, event_id, index FROM audit.entries WHERE screening_id IS NOT NULL;`,
  },
  {
    id: 'audit/0004-keys',
    sql: `
      -- The verifier keys of the note, for exports. A reader trusts those that came another way.
      ALTER TABLE audit.checkpoint ADD keys text;`,
  },
  {
    id: 'audit/0005-anchors',
    sql: `
      -- Schedule and last result of each place outside that keeps checkpoints. The copies there count, not this table.
      CREATE TABLE audit.anchors (
        name text PRIMARY KEY,
        size bigint NOT NULL DEFAULT 0,
        -- With the cosignature, if it is of a witness.
        note text,
        anchored_at timestamptz,
        since timestamptz NOT NULL,
        next_at timestamptz NOT NULL,
        error text);`,
  },
  {
    id: 'audit/0006-erasures',
    sql: `
      -- The event of the act that erased key, headers, screening and value, and the salt in audit.leaves. That event is in the log before.
      ALTER TABLE audit.entries ADD erased_by uuid;
      -- Updates may erase, and change nothing else.
      CREATE FUNCTION audit.refuse_unless_erased() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF OLD.erased_by IS NOT NULL OR NEW.key <> '' OR NEW.headers <> '{}' OR NEW.screening_id IS NOT NULL OR NEW.value <> ''
            OR (NEW.index, NEW.event_id, NEW.topic, NEW.log_partition, NEW.log_offset, NEW.event_time, NEW.conflicts_with, NEW.recorded_at)
              IS DISTINCT FROM (OLD.index, OLD.event_id, OLD.topic, OLD.log_partition, OLD.log_offset, OLD.event_time, OLD.conflicts_with, OLD.recorded_at)
            OR NOT EXISTS (SELECT FROM audit.entries a WHERE a.event_id = NEW.erased_by AND a.topic = 'activities.recorded' AND a.index > OLD.index) THEN
            RAISE EXCEPTION 'audit.entries is append-only' USING ERRCODE = 'insufficient_privilege';
          END IF;
          RETURN NEW;
        END $$;
      CREATE FUNCTION audit.refuse_unless_salts() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF (NEW.first, NEW.commitments, NEW.hashes, octet_length(NEW.salts)) IS DISTINCT FROM (OLD.first, OLD.commitments, OLD.hashes, octet_length(OLD.salts)) THEN
            RAISE EXCEPTION 'audit.leaves is append-only' USING ERRCODE = 'insufficient_privilege';
          END IF;
          RETURN NEW;
        END $$;
      DROP TRIGGER entries_append_only ON audit.entries;
      DROP TRIGGER leaves_append_only ON audit.leaves;
      CREATE TRIGGER entries_append_only BEFORE DELETE OR TRUNCATE ON audit.entries FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
      CREATE TRIGGER leaves_append_only BEFORE DELETE OR TRUNCATE ON audit.leaves FOR EACH STATEMENT EXECUTE FUNCTION audit.refuse_change();
      CREATE TRIGGER entries_erasure BEFORE UPDATE ON audit.entries FOR EACH ROW EXECUTE FUNCTION audit.refuse_unless_erased();
      CREATE TRIGGER leaves_erasure BEFORE UPDATE ON audit.leaves FOR EACH ROW EXECUTE FUNCTION audit.refuse_unless_salts();
      ALTER TABLE audit.entries ENABLE ALWAYS TRIGGER entries_append_only, ENABLE ALWAYS TRIGGER entries_erasure;
      ALTER TABLE audit.leaves ENABLE ALWAYS TRIGGER leaves_append_only, ENABLE ALWAYS TRIGGER leaves_erasure;`,
  },
  {
    id: 'audit/0007-dead-letters',
    sql: `
      -- Dead letters that never became a transfer name customers too, and an erasure must find them.
      CREATE INDEX entries_dead_letters ON audit.entries (screening_id)
        WHERE topic IN ('deposits.detected.dlq', 'withdrawals.requested.dlq') AND erased_by IS NULL;`,
  },
];
