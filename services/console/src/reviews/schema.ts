import type { Migration } from '@weir/postgres';

/**
 * What people do about screenings. Which of them are held is the projection's to say, and so is what came of a resolution: it stands in the
 * decision that follows its revision. No foreign keys: a projection can be made again from the events, and this cannot.
 */
export const reviewMigrations: readonly Migration[] = [
  {
    id: 'console/0002-reviews',
    sql: `
      CREATE TABLE console.reviews (
        screening_id uuid PRIMARY KEY,
        assignee text,
        due_at timestamptz);
      CREATE INDEX reviews_due ON console.reviews (due_at) WHERE due_at IS NOT NULL;
      CREATE TABLE console.resolutions (
        resolution_id uuid PRIMARY KEY,
        number bigint GENERATED ALWAYS AS IDENTITY,
        screening_id uuid NOT NULL,
        revision integer NOT NULL,
        -- review: held again.
        action text NOT NULL CHECK (action IN ('allow', 'block', 'review')),
        reason text NOT NULL,
        -- Role and token id, never the token; the token's name beside it.
        resolved_by text NOT NULL,
        resolved_by_name text NOT NULL,
        resolved_at timestamptz NOT NULL,
        needs_approval boolean NOT NULL,
        -- Null while somebody else has yet to answer.
        answer text CHECK (answer IN ('approved', 'rejected')),
        answered_by text,
        answered_by_name text,
        answer_reason text,
        answered_at timestamptz,
        CHECK (answered_by IS DISTINCT FROM resolved_by),
        CHECK (needs_approval = (answered_by IS NOT NULL) OR answer IS NULL));
      -- Of each revision one resolution at most is waited for, or goes to decision.
      CREATE UNIQUE INDEX resolutions_standing ON console.resolutions (screening_id, revision) WHERE answer IS DISTINCT FROM 'rejected';
      CREATE INDEX resolutions_latest ON console.resolutions (screening_id, number);
      CREATE TABLE console.notes (
        note_id uuid PRIMARY KEY,
        number bigint GENERATED ALWAYS AS IDENTITY,
        screening_id uuid NOT NULL,
        text text NOT NULL,
        written_by text NOT NULL,
        written_by_name text NOT NULL,
        written_at timestamptz NOT NULL);
      CREATE INDEX notes_latest ON console.notes (screening_id, number);
      CREATE INDEX screenings_resolved ON console.screenings (requested_at, screening_id)
        WHERE action <> 'review' AND decisions -> revision::text ->> 'resolution_id' IS NOT NULL;`,
  },
  {
    id: 'console/0003-turned-bad',
    sql: `
      -- What was allowed and is not any more, though nobody has said so but a machine; and what people have allowed, where a later result is worse than what
      -- they knew: High or Severe, or on a local sanctions list. Times are texts of one form (RFC 3339, UTC).
      CREATE FUNCTION console.turned_bad(action text, revision integer, decisions jsonb, result jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN coalesce(CASE action
          WHEN 'allow' THEN decisions -> revision::text ->> 'resolution_id' IS NOT NULL
            AND result ->> 'scored_at' > decisions -> revision::text ->> 'decided_at'
            AND (coalesce(result -> 'reasons' ? 'LOCAL_SANCTIONS_MATCH', false)
              OR result ->> 'risk_level' = 'Severe' AND decisions -> revision::text ->> 'risk_level' IS DISTINCT FROM 'Severe'
              OR result ->> 'risk_level' = 'High' AND coalesce(decisions -> revision::text ->> 'risk_level', '') NOT IN ('High', 'Severe'))
          ELSE decisions -> revision::text ->> 'resolution_id' IS NULL AND jsonb_path_exists(decisions, '$.*.action ? (@ == "allow")') END, false);
      -- All that people have to look at.
      CREATE INDEX screenings_for_people ON console.screenings (requested_at, screening_id)
        WHERE action = 'review' OR console.turned_bad(action, revision, decisions, result);`,
  },
  {
    id: 'console/0004-stored-resolutions',
    sql: `
      -- For decision, which applies a resolution only when it is stored here. It reads nothing else of this schema.
      CREATE VIEW console.stored_resolutions AS
        SELECT resolution_id, screening_id, revision, action, reason, resolved_by, resolved_by_name, resolved_at, needs_approval,
          answer, answered_by, answered_by_name, answered_at
        FROM console.resolutions;`,
  },
  {
    id: 'console/0005-reported-at',
    sql: `
      -- As before, by when a screening was given its result: a reused answer is older than that. Rows of before have no reported_at, so the index stays right.
      CREATE OR REPLACE FUNCTION console.turned_bad(action text, revision integer, decisions jsonb, result jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN coalesce(CASE action
          WHEN 'allow' THEN decisions -> revision::text ->> 'resolution_id' IS NOT NULL
            AND coalesce(result ->> 'reported_at', result ->> 'scored_at') > decisions -> revision::text ->> 'decided_at'
            AND (coalesce(result -> 'reasons' ? 'LOCAL_SANCTIONS_MATCH', false)
              OR result ->> 'risk_level' = 'Severe' AND decisions -> revision::text ->> 'risk_level' IS DISTINCT FROM 'Severe'
              OR result ->> 'risk_level' = 'High' AND coalesce(decisions -> revision::text ->> 'risk_level', '') NOT IN ('High', 'Severe'))
          ELSE decisions -> revision::text ->> 'resolution_id' IS NULL AND jsonb_path_exists(decisions, '$.*.action ? (@ == "allow")') END, false);`,
  },
];
