import type { Migration } from '@weir/postgres';

export const decisionMigrations: readonly Migration[] = [
  {
    id: 'decision/0001-decisions',
    sql: `
      CREATE SCHEMA decision;
      -- One row per screening: what is known of it, and the revision in force.
      CREATE TABLE decision.screenings (
        screening_id uuid PRIMARY KEY,
        kind text NOT NULL,
        transfer jsonb NOT NULL,
        requested_at timestamptz NOT NULL,
        deadline_at timestamptz NOT NULL,
        revision integer NOT NULL DEFAULT 0,
        action text,
        by_person boolean NOT NULL DEFAULT false,
        attempt integer NOT NULL DEFAULT 0,
        sequence integer NOT NULL DEFAULT 0);
      CREATE INDEX screenings_open ON decision.screenings (deadline_at) WHERE revision = 0;
      CREATE INDEX screenings_held ON decision.screenings (kind, requested_at) WHERE action = 'review';
      -- Every decision ever made. What caused it is unique, so nothing is decided twice.
      CREATE TABLE decision.decisions (
        screening_id uuid NOT NULL,
        revision integer NOT NULL,
        cause text NOT NULL,
        action text NOT NULL,
        event_id uuid NOT NULL,
        decided_at timestamptz NOT NULL,
        PRIMARY KEY (screening_id, revision),
        UNIQUE (screening_id, cause));`,
  },
];
