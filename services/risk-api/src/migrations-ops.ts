import type { Migration } from '@weir/postgres';

/** What the operations need beyond the tables of runs and keys. */
export const operationsMigration: Migration = {
  id: 'risk-api/0005-operations',
  sql: `
    -- failed: told once as such, and computed anew when asked for again.
    ALTER TABLE risk.runs DROP CONSTRAINT runs_state_check;
    ALTER TABLE risk.runs ADD CONSTRAINT runs_state_check CHECK (state IN ('running', 'done', 'failed'));
    ALTER TABLE risk.runs
      ADD alive_at timestamptz,                  -- when the process that works on it last said so; null: nobody does
      ADD attempts integer NOT NULL DEFAULT 0;   -- how often somebody began; a run that ends its process every time must not go on for ever
    CREATE INDEX runs_subject ON risk.runs (chain, kind, subject, direction, created_at DESC);
    -- The key, its limits, and the newest score since then, in one round trip. The score is looked for only where the call may go on.
    CREATE FUNCTION risk.admit_scored(wanted bytea, wanted_surface text, of_chain text, of_kind text, of_subject text, of_direction text,
      since timestamptz, OUT verdict text, OUT retry_after integer, OUT run_result jsonb, OUT run_scanned_at timestamptz)
    LANGUAGE plpgsql AS $$
    BEGIN
      SELECT a.verdict, a.retry_after INTO verdict, retry_after FROM risk.admit(wanted, wanted_surface, true) a;
      IF verdict = 'ok' THEN
        SELECT r.result, r.scanned_at INTO run_result, run_scanned_at FROM risk.runs r
          WHERE r.chain = of_chain AND r.kind = of_kind AND r.subject = of_subject AND r.direction = of_direction
            AND r.state = 'done' AND r.scanned_at > since
          ORDER BY r.scanned_at DESC LIMIT 1;
      END IF;
    END $$;`,
};
