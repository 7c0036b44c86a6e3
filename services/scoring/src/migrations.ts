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
        -- The token whose share pays; null: none.
        token_id text,
        -- Counts score changes: answers of earlier rounds are void.
        round integer NOT NULL DEFAULT 0,
        UNIQUE (chain, subject, direction));
      CREATE INDEX lookups_due ON scoring.lookups (lane, next_at) WHERE owner IS NULL;

      CREATE TABLE scoring.screenings (
        screening_id uuid NOT NULL,
        attempt integer NOT NULL,
        request jsonb NOT NULL,
        lookup_id bigint,
        -- rescreen: a later attempt that waits for its lookup, without a deadline.
        state text NOT NULL CHECK (state IN ('waiting', 'held', 'rescreen', 'answered')),
        sequence integer NOT NULL DEFAULT 0,
        deadline_at timestamptz NOT NULL,
        taken_at timestamptz NOT NULL DEFAULT now(),
        -- For an unknown transaction: the risk API's answer, and the address looked up next.
        unknown_transaction jsonb,
        counterparty text,
        PRIMARY KEY (screening_id, attempt));
      CREATE INDEX screenings_deadline ON scoring.screenings (deadline_at) WHERE state = 'waiting';
      CREATE INDEX screenings_lookup ON scoring.screenings (lookup_id) WHERE state <> 'answered';
      CREATE INDEX screenings_rescreen ON scoring.screenings (taken_at) WHERE state = 'rescreen';
      -- A subject's screenings by time: 44 bytes each, some 75 in a full index.
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
        -- When the risk API gave it.
        answered_at timestamptz NOT NULL DEFAULT now(),
        PRIMARY KEY (chain, subject, direction));
      CREATE INDEX results_expires_at ON scoring.results (expires_at);

      -- Position in the feed of score changes, by a SHA-256 of the API key.
      CREATE TABLE scoring.feeds (
        feed text PRIMARY KEY,
        -- Null: not begun; the next poll stores the feed's present end.
        cursor text,
        -- Session of the process that reads it.
        owner text,
        -- The API has no feed.
        is_absent boolean NOT NULL DEFAULT false,
        -- When it was last read to its end, or begun.
        caught_up_at timestamptz NOT NULL DEFAULT now());
      -- Subjects with a changed score, whose screenings are repeated, newest first.
      CREATE TABLE scoring.rescreens (
        chain text NOT NULL,
        subject text NOT NULL,
        -- Empty: any.
        direction text NOT NULL,
        -- The last screening processed; null: none yet.
        before_ms bigint,
        before_id uuid,
        -- Subjects take turns: one with a million screenings must not block the others.
        worked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        -- Earlier screenings (Unix ms) keep their result.
        since_ms bigint NOT NULL DEFAULT 0,
        PRIMARY KEY (chain, subject, direction));
      CREATE INDEX rescreens_turn ON scoring.rescreens (worked_at);

      -- Tasks created at the risk API, by token and UTC day.
      CREATE TABLE scoring.token_days (
        token_id text NOT NULL,
        day date NOT NULL,
        creates integer NOT NULL,
        PRIMARY KEY (token_id, day));`,
  },
  {
    id: 'scoring/0002-published-label-changes',
    sql: `
      -- One row: the last of chain.label_changes that is stored for publication.
      CREATE TABLE scoring.published_label_changes (id bigint NOT NULL);
      INSERT INTO scoring.published_label_changes VALUES (0);`,
  },
  {
    id: 'scoring/0003-providers',
    // The unique key of the version before stays. A question that is about more than the subject, or that is asked in shadow, has a
    // direction with a suffix.
    sql: `
      -- The facts of the transfer that the question needs; empty: it is about the subject alone.
      ALTER TABLE scoring.lookups ADD COLUMN facts jsonb NOT NULL DEFAULT '{}';
      -- Asked of the second provider, for comparison.
      ALTER TABLE scoring.lookups ADD COLUMN is_shadow boolean NOT NULL DEFAULT false;
      -- The running task is the fallback's.
      ALTER TABLE scoring.lookups ADD COLUMN is_fallback_task boolean NOT NULL DEFAULT false;

      -- Answers of two providers about one result. The second one's are null until it has answered.
      CREATE TABLE scoring.comparisons (
        screening_id uuid NOT NULL,
        attempt integer NOT NULL,
        sequence integer NOT NULL,
        lookup_id bigint NOT NULL,
        asked_at timestamptz NOT NULL DEFAULT now(),
        first jsonb NOT NULL,
        second jsonb,
        PRIMARY KEY (screening_id, attempt, sequence));
      CREATE INDEX comparisons_lookup ON scoring.comparisons (lookup_id) WHERE second IS NULL;
      CREATE INDEX comparisons_asked_at ON scoring.comparisons (asked_at);`,
  },
];
