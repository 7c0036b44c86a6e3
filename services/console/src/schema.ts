import type { Migration } from '@weir/postgres';
import { reviewMigrations } from './reviews/schema.ts';
import { webhookMigrations } from './webhooks/schema.ts';

/** Characters of a subject that can be searched for; what is longer was no address, and an index has a limit. */
export const subjectLength = 256;

/**
 * One row is one screening. What several events tell of is held with the rank of the event it was taken from, so that events may come
 * in any order and more than once. What is filtered by is derived, so it cannot disagree with what is shown.
 */
export const consoleMigrations: readonly Migration[] = [
  {
    id: 'console/0001-screenings',
    sql: `
      CREATE SCHEMA console;
      -- Hexadecimal addresses, transaction ids and segwit addresses are the same in either case; all else is not.
      CREATE FUNCTION console.comparable(subject text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN left(CASE WHEN subject ~* '^(0x|bc1|[0-9a-f]{64}$)' THEN lower(subject) ELSE subject END, ${subjectLength});
      CREATE TABLE console.screenings (
        screening_id uuid PRIMARY KEY,
        requested_at timestamptz NOT NULL,
        request jsonb NOT NULL,
        request_rank bigint NOT NULL,
        result jsonb,
        result_rank bigint NOT NULL,
        -- By revision.
        decisions jsonb NOT NULL,
        revision integer NOT NULL,
        action text,
        kind text NOT NULL GENERATED ALWAYS AS (request ->> 'kind') STORED,
        level text GENERATED ALWAYS AS (result ->> 'risk_level') STORED,
        subject text GENERATED ALWAYS AS (console.comparable(request ->> 'subject')) STORED);
      CREATE INDEX screenings_newest ON console.screenings (requested_at, screening_id);
      CREATE INDEX screenings_kind ON console.screenings (kind, requested_at, screening_id);
      CREATE INDEX screenings_action ON console.screenings (action, requested_at, screening_id);
      CREATE INDEX screenings_level ON console.screenings (level, requested_at, screening_id);
      CREATE INDEX screenings_subject ON console.screenings (subject, requested_at, screening_id);`,
  },
  ...reviewMigrations,
  ...webhookMigrations,
];
