import type { Migration } from '@weir/postgres';

/**
 * A lookup is one question to the risk API: chain, subject and direction. Many screenings may wait for one lookup, which is
 * what makes it a single flight, across replicas and restarts. Its row lives as long as the question is open.
 */
export const scoringMigrations: readonly Migration[] = [
  {
    id: 'scoring/0001-lookups',
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
        trouble text,
        UNIQUE (chain, subject, direction));
      CREATE INDEX lookups_due ON scoring.lookups (lane, next_at) WHERE owner IS NULL;
      CREATE TABLE scoring.screenings (
        screening_id uuid NOT NULL,
        attempt integer NOT NULL,
        request jsonb NOT NULL,
        lookup_id bigint,
        state text NOT NULL CHECK (state IN ('waiting', 'held', 'answered')),
        sequence integer NOT NULL DEFAULT 0,
        deadline_at timestamptz NOT NULL,
        PRIMARY KEY (screening_id, attempt));
      CREATE INDEX screenings_deadline ON scoring.screenings (deadline_at) WHERE state = 'waiting';
      CREATE INDEX screenings_lookup ON scoring.screenings (lookup_id) WHERE state <> 'answered';
      CREATE TABLE scoring.results (
        chain text NOT NULL,
        subject text NOT NULL,
        direction text NOT NULL,
        result jsonb NOT NULL,
        good_until timestamptz NOT NULL,
        PRIMARY KEY (chain, subject, direction));
      CREATE INDEX results_good_until ON scoring.results (good_until);`,
  },
];
