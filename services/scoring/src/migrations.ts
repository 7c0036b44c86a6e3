import type { Migration } from '@weir/postgres';

/**
 * A lookup is one question to the risk API: chain, subject and direction. Many screenings may wait for one lookup, which makes it a single
 * flight, across replicas and restarts. Its row lives as long as the question is open.
 */
export const scoringMigrations: readonly Migration[] = [
  {
    id: 'scoring/0001-initial',
    sql: `
      CREATE SCHEMA scoring;
      CREATE TABLE scoring.lookups (
        lookup_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        chain text NOT NULL,
        subject text NOT NULL,
        direction text NOT NULL,
        subject_type text NOT NULL,
        coin text NOT NULL,
        lane smallint NOT NULL,
        owner text,
        task_id text,
        tries integer NOT NULL DEFAULT 0,
        next_at timestamptz NOT NULL,
        last_error text,
        -- The token that pays for it; null: none.
        token_id text,
        -- How often it was begun anew because its answer has changed.
        round integer NOT NULL DEFAULT 0,
        UNIQUE (chain, subject, direction));
      CREATE INDEX lookups_due ON scoring.lookups (lane, next_at) WHERE owner IS NULL;

      CREATE TABLE scoring.screenings (
        screening_id uuid NOT NULL,
        attempt integer NOT NULL,
        request jsonb NOT NULL,
        lookup_id bigint,
        -- rescreen: a later attempt that waits for its answer; nobody hopes for it before a deadline.
        state text NOT NULL CHECK (state IN ('waiting', 'held', 'rescreen', 'answered')),
        sequence integer NOT NULL DEFAULT 0,
        deadline_at timestamptz NOT NULL,
        taken_at timestamptz NOT NULL DEFAULT now(),
        -- Where the risk API does not know the transaction: its answer, and the address that it is asked about next.
        unknown_transaction jsonb,
        counterparty text,
        PRIMARY KEY (screening_id, attempt));
      CREATE INDEX screenings_deadline ON scoring.screenings (deadline_at) WHERE state = 'waiting';
      CREATE INDEX screenings_lookup ON scoring.screenings (lookup_id) WHERE state <> 'answered';
      CREATE INDEX screenings_rescreen ON scoring.screenings (taken_at) WHERE state = 'rescreen';
      -- The screenings of a subject, the newest last: 44 bytes each, and some 75 in a full index.
      CREATE INDEX screenings_subject ON scoring.screenings
        (hashtextextended((request ->> 'chain') || ' ' || (request ->> 'subject'), 0), ((request ->> 'requested_at')::int8), screening_id) WHERE attempt = 1;
      CREATE INDEX screenings_counterparty ON scoring.screenings
        (hashtextextended((request ->> 'chain') || ' ' || counterparty, 0), ((request ->> 'requested_at')::int8), screening_id)
        WHERE attempt = 1 AND counterparty IS NOT NULL;

      CREATE TABLE scoring.results (
        chain text NOT NULL,
        subject text NOT NULL,
        direction text NOT NULL,
        result jsonb NOT NULL,
        expires_at timestamptz NOT NULL,
        -- When the answer was read from the risk API.
        answered_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain, subject, direction));
      CREATE INDEX results_expires_at ON scoring.results (expires_at);

      -- How far the changed scores of a risk API have been read, by a SHA-256 of our key.
      CREATE TABLE scoring.feeds (
        feed text PRIMARY KEY,
        -- Null: not begun; the next look remembers where it ends.
        cursor text,
        -- Session of the process that reads it.
        owner text,
        -- The API has none.
        is_absent boolean NOT NULL DEFAULT false,
        -- When it was last read to its end, or begun.
        caught_up_at timestamptz NOT NULL DEFAULT now());
      -- Subjects whose score has changed and whose screenings are being asked for again, the newest first.
      CREATE TABLE scoring.rescreens (
        chain text NOT NULL,
        subject text NOT NULL,
        -- Empty: any.
        direction text NOT NULL,
        -- The last screening that was dealt with; null: none yet.
        before_ms bigint,
        before_id uuid,
        -- Subjects take turns, or one with a million screenings would hold up the others.
        worked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Screenings requested before (Unix ms) are left alone.
        since_ms bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (chain, subject, direction));
      CREATE INDEX rescreens_turn ON scoring.rescreens (worked_at);

      -- Tasks that were created at the risk API for each token on a UTC day.
      CREATE TABLE scoring.token_days (
        token_id text NOT NULL,
        day date NOT NULL,
        creates integer NOT NULL,
        PRIMARY KEY (token_id, day));`,
  },
];
