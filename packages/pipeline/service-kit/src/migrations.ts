import type { Migration } from '@weir/postgres';

export const accessMigrations: readonly Migration[] = [
  {
    id: 'access/0001-initial',
    sql: `
      CREATE SCHEMA access;
      CREATE TABLE access.tokens (
        token_sha256 bytea PRIMARY KEY,
        role text NOT NULL,
        name text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        revoked_at timestamptz,
        -- Null: the default of the settings.
        per_second integer,
        per_day integer,
        -- The audit log names the person who resolves or approves.
        CONSTRAINT tokens_person CHECK (role NOT IN ('reviewer', 'approver') OR btrim(name) <> ''));`,
  },
  {
    id: 'access/0002-activities',
    sql: `
      -- Acts of people, each stored in its transaction. The console publishes them as activities.recorded.
      CREATE TABLE access.activities (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        activity_id uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE,
        action text NOT NULL,
        subject_type text NOT NULL,
        subject text NOT NULL,
        person_id text NOT NULL,
        person_name text NOT NULL,
        -- [{name, value}]
        details jsonb NOT NULL,
        recorded_at timestamptz NOT NULL,
        published boolean NOT NULL DEFAULT false);
      CREATE INDEX activities_unpublished ON access.activities (number) WHERE NOT published;
      CREATE INDEX activities_subject ON access.activities (subject, number);`,
  },
  {
    id: 'access/0003-erasures',
    sql: `
      -- Requests to erase a customer's data, each by two people. Only the owner of the tables writes here.
      CREATE TABLE access.erasures (
        erasure_id uuid PRIMARY KEY,
        -- The customer; null once all is erased.
        user_id text,
        reason text NOT NULL,
        -- Before the time of keeping has ended.
        is_early boolean NOT NULL,
        proposed_by text NOT NULL,
        proposed_by_name text NOT NULL,
        proposed_at timestamptz NOT NULL DEFAULT now(),
        approved_by text,
        approved_by_name text,
        approved_at timestamptz,
        done_at timestamptz,
        -- What was erased.
        screenings uuid[]);`,
  },
  {
    id: 'access/0004-traces',
    sql: `
      -- Of the request that did it, while tracing is on.
      ALTER TABLE access.activities ADD COLUMN traceparent text;`,
  },
];

export const schemaMigrations: readonly Migration[] = [
  {
    id: 'schemas/0001-initial',
    sql: `
      CREATE SCHEMA schemas;
      CREATE TABLE schemas.schemas (
        id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        topic text NOT NULL,
        sha256 text NOT NULL,
        schema text NOT NULL,
        UNIQUE (topic, sha256));`,
  },
];

export const outboxMigrations: readonly Migration[] = [
  {
    id: 'outbox/0001-initial',
    sql: `
      CREATE SCHEMA outbox;
      CREATE TABLE outbox.events (
        event_id uuid NOT NULL,
        service text NOT NULL,
        topic text NOT NULL,
        key text NOT NULL,
        value bytea NOT NULL,
        headers jsonb NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        published boolean NOT NULL DEFAULT false,
        -- The log's last rejection of the event, and its code.
        refused_at timestamptz,
        refusal text,
        -- Every service can derive every id; none may block another's event by taking its id first.
        PRIMARY KEY (service, event_id));
      CREATE INDEX events_unpublished ON outbox.events (service, created_at) WHERE NOT published;
      CREATE INDEX events_created ON outbox.events (created_at);

      -- A service publishes the events under its name, so no other may write them. A member of several services' roles may write for
      -- each of them. The table's owner is exempt.
      CREATE FUNCTION outbox.role_of(service text) RETURNS regrole LANGUAGE sql STABLE PARALLEL SAFE
        RETURN to_regrole(quote_ident('weir_' || replace(service, '-', '_')));
      CREATE POLICY read_all ON outbox.events FOR SELECT USING (true);
      CREATE POLICY insert_own ON outbox.events FOR INSERT WITH CHECK (pg_has_role(current_user, outbox.role_of(service), 'USAGE'));
      CREATE POLICY update_own ON outbox.events FOR UPDATE USING (pg_has_role(current_user, outbox.role_of(service), 'USAGE'));
      CREATE POLICY delete_own ON outbox.events FOR DELETE USING (pg_has_role(current_user, outbox.role_of(service), 'USAGE'));
      ALTER TABLE outbox.events ENABLE ROW LEVEL SECURITY;`,
  },
  {
    id: 'outbox/0002-batches',
    sql: `
      -- Events of one transaction that are yet to be published. Their rows are written as published, and only change if a crash leaves
      -- the batch here.
      CREATE TABLE outbox.batches (
        batch_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        service text NOT NULL,
        created_at timestamptz NOT NULL DEFAULT now(),
        event_ids uuid[] NOT NULL);
      CREATE POLICY read_all ON outbox.batches FOR SELECT USING (true);
      CREATE POLICY insert_own ON outbox.batches FOR INSERT WITH CHECK (pg_has_role(current_user, outbox.role_of(service), 'USAGE'));
      CREATE POLICY delete_own ON outbox.batches FOR DELETE USING (pg_has_role(current_user, outbox.role_of(service), 'USAGE'));
      ALTER TABLE outbox.batches ENABLE ROW LEVEL SECURITY;`,
  },
];
