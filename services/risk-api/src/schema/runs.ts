import { advisoryLockOf } from '@weir/postgres';

export const runs = `
  -- One computation of a score; several tasks may share it.
  CREATE TABLE risk.runs (
    id uuid PRIMARY KEY, chain text NOT NULL, kind text NOT NULL CHECK (kind IN ('address', 'txid')), subject text NOT NULL, direction text NOT NULL,
    -- failed: reported once, then computed anew on the next request
    state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done', 'failed')),
    result jsonb, scanned_at timestamptz, created_at timestamptz NOT NULL, enqueued_at timestamptz NOT NULL, enqueued integer NOT NULL DEFAULT 1,
    alive_at timestamptz,                      -- last heartbeat of the process that works on it; null: none does
    attempts integer NOT NULL DEFAULT 0,       -- bounds a run that crashes its process every time
    outdated boolean NOT NULL DEFAULT false);  -- a later label may change the score: its tasks still show it, further calls do not use it
  CREATE UNIQUE INDEX runs_running ON risk.runs (chain, kind, subject, direction) WHERE state = 'running';
  CREATE INDEX runs_done ON risk.runs (chain, kind, subject, direction, scanned_at DESC) WHERE state = 'done';
  CREATE INDEX runs_subject ON risk.runs (chain, kind, subject, direction, created_at DESC);
  CREATE INDEX runs_waiting ON risk.runs (enqueued_at) WHERE state = 'running';
  CREATE INDEX runs_age ON risk.runs (created_at);
  -- A key's access to a run, under an id that cannot be guessed.
  CREATE TABLE risk.tasks (
    id text PRIMARY KEY, key_sha256 bytea NOT NULL, run_id uuid NOT NULL REFERENCES risk.runs, last_query_at timestamptz NOT NULL,
    UNIQUE (key_sha256, run_id));
  CREATE INDEX tasks_run ON risk.tasks (run_id);
  CREATE INDEX tasks_age ON risk.tasks (last_query_at);
  -- The score computed after since that is not outdated, else the running run, else a new one. Before starting one it searches again under a
  -- lock, in one statement: a run that ends meanwhile is then seen as done.
  CREATE FUNCTION risk.find_or_start(of_chain text, of_kind text, of_subject text, of_direction text, since timestamptz, new_id uuid, at_time timestamptz,
    OUT run_id uuid, OUT run_state text, OUT run_result jsonb, OUT run_scanned_at timestamptz, OUT started boolean) LANGUAGE plpgsql AS $$
  BEGIN
    started := false;
    FOR look IN 1..2 LOOP
      SELECT r.id, r.state, r.result, r.scanned_at INTO run_id, run_state, run_result, run_scanned_at FROM risk.runs r
        WHERE r.chain = of_chain AND r.kind = of_kind AND r.subject = of_subject AND r.direction = of_direction
          AND (r.state = 'running' OR r.state = 'done' AND r.scanned_at > since AND NOT r.outdated)
        ORDER BY r.state, r.scanned_at DESC LIMIT 1;
      IF FOUND THEN RETURN; END IF;
      IF look = 1 THEN
        PERFORM ${advisoryLockOf('score-run', `concat_ws(' ', of_chain, of_kind, of_subject, of_direction)`)};
      END IF;
    END LOOP;
    INSERT INTO risk.runs (chain, kind, subject, direction, id, created_at, enqueued_at)
      VALUES (of_chain, of_kind, of_subject, of_direction, new_id, at_time, at_time);
    run_id := new_id; run_state := 'running'; started := true;
  END $$;
`;
