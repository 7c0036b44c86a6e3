import { advisoryLock, advisoryLockOf, type Migration } from '@weir/postgres';

/** Which scores a label may have changed, and who is told. See docs/decisions/0018-reverse-index.md. */
export const changesMigration: Migration = {
  id: 'risk-api/0012-score-changes',
  sql: `
    -- outdated: a label has changed since that may change the score. Its tasks show it; it answers no further call.
    ALTER TABLE risk.runs ADD outdated boolean NOT NULL DEFAULT false;
    -- What was computed before there was an index.
    UPDATE risk.runs SET outdated = true WHERE state = 'done';

    -- One row. version: raised when changed labels are taken up, or stored while there is no score; a score begun under an earlier one is computed again. last_number: of the last change told.
    CREATE TABLE risk.label_state (one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL DEFAULT 0, last_number bigint NOT NULL DEFAULT 0);
    INSERT INTO risk.label_state DEFAULT VALUES;

    -- Addresses whose labels changed, stored with the labels. due_at: when a label begins or ends by itself; null: at once.
    CREATE TABLE risk.label_changes (
      id bigint GENERATED ALWAYS AS IDENTITY, chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL,
      stored_at timestamptz NOT NULL DEFAULT now(), due_at timestamptz,
      taken boolean NOT NULL DEFAULT false,
      from_hash bigint NOT NULL DEFAULT -9223372036854775808); -- of the peer at which a hub's edges are gone on with
    -- One row an address and moment at most, so that the table is bounded where nobody takes them up. No other index: an import writes as many rows.
    CREATE UNIQUE INDEX label_changes_waiting ON risk.label_changes (due_at NULLS FIRST, chain, address) NULLS NOT DISTINCT WHERE NOT taken;
    CREATE INDEX label_changes_taken ON risk.label_changes (id) WHERE taken;

    -- The reverse index: of each subject's newest score, hashes of the sides of addresses that it looked at, and of the addresses whose own labels count.
    CREATE TABLE risk.reached (
      chain text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, direction text COLLATE "C" NOT NULL,
      looked_at bigint[] NOT NULL, PRIMARY KEY (subject, chain, kind, direction));
    CREATE INDEX reached_looked_at ON risk.reached USING gin (looked_at) WITH (fastupdate = off);
    -- side 0: what the address received; 1: what it sent; 2: its own labels.
    CREATE FUNCTION risk.look(chain text, address text, side integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
      RETURN hashtextextended(chain || ' ' || address, side);
    -- Subjects that are to be told.
    CREATE TABLE risk.changed_subjects (
      chain text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, direction text COLLATE "C" NOT NULL,
      noted_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (subject, chain, kind, direction));

    -- Who asked for the score of a subject, and the number and time of the last change told of it.
    CREATE TABLE risk.watches (
      key_sha256 bytea NOT NULL, chain text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL,
      direction text COLLATE "C" NOT NULL, asked_at timestamptz NOT NULL, changed_number bigint, changed_at timestamptz,
      PRIMARY KEY (subject, chain, kind, direction, key_sha256));
    CREATE INDEX watches_changed ON risk.watches (key_sha256, changed_number) WHERE changed_number IS NOT NULL;
    CREATE INDEX watches_asked ON risk.watches (asked_at);

    -- Notes who asks, unless that was noted since noted_since. Whoever is noted first sees every change told before, or is told of it.
    CREATE FUNCTION risk.watch(wanted bytea, of_chain text, of_kind text, of_subject text, of_direction text, at_time timestamptz, noted_since timestamptz)
    RETURNS void LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM FROM risk.watches w WHERE w.subject = of_subject AND w.chain = of_chain AND w.kind = of_kind AND w.direction = of_direction
        AND w.key_sha256 = wanted AND w.asked_at > noted_since;
      IF FOUND THEN RETURN; END IF;
      PERFORM ${advisoryLock('score-storage', 'shared')};
      INSERT INTO risk.watches AS w (key_sha256, chain, kind, subject, direction, asked_at)
        VALUES (wanted, of_chain, of_kind, of_subject, of_direction, at_time)
        ON CONFLICT (subject, chain, kind, direction, key_sha256) DO UPDATE SET asked_at = greatest(w.asked_at, excluded.asked_at);
    END $$;

    -- As before, of scores that are not outdated.
    CREATE OR REPLACE FUNCTION risk.find_or_start(of_chain text, of_kind text, of_subject text, of_direction text, since timestamptz, new_id uuid, at_time timestamptz,
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
    -- The key, its limits, who asks, and the newest score since then, in one round trip; the latter two only where the call may go on. The function of
    -- seven arguments stays for replicas of the version before.
    CREATE FUNCTION risk.admit_scored(wanted bytea, wanted_surface text, of_chain text, of_kind text, of_subject text, of_direction text,
      since timestamptz, at_time timestamptz, noted_since timestamptz,
      OUT verdict text, OUT retry_after integer, OUT run_result jsonb, OUT run_scanned_at timestamptz)
    LANGUAGE plpgsql AS $$
    BEGIN
      SELECT a.verdict, a.retry_after INTO verdict, retry_after FROM risk.admit(wanted, wanted_surface, true) a;
      IF verdict = 'ok' THEN
        -- Nearly always noted already: looked up here, as a call of a function costs as much again.
        PERFORM FROM risk.watches w WHERE w.subject = of_subject AND w.chain = of_chain AND w.kind = of_kind AND w.direction = of_direction
          AND w.key_sha256 = wanted AND w.asked_at > noted_since;
        IF NOT FOUND THEN PERFORM risk.watch(wanted, of_chain, of_kind, of_subject, of_direction, at_time, noted_since); END IF;
        SELECT r.result, r.scanned_at INTO run_result, run_scanned_at FROM risk.runs r
          WHERE r.chain = of_chain AND r.kind = of_kind AND r.subject = of_subject AND r.direction = of_direction
            AND r.state = 'done' AND r.scanned_at > since AND NOT r.outdated
          ORDER BY r.scanned_at DESC LIMIT 1;
      END IF;
    END $$;

    -- Stores a score with what it looked at. Null: it is stored, or was before. Else labels were taken up since it was begun: compute it again,
    -- under the version given; the last time it is stored all the same, and told as changed.
    CREATE FUNCTION risk.finish_run(run uuid, given jsonb, at_time timestamptz, begun_version bigint, addresses text[], sides integer[], is_last boolean)
    RETURNS bigint LANGUAGE plpgsql AS $$
    DECLARE present bigint; own record; hashes bigint[];
    BEGIN
      PERFORM ${advisoryLock('score-storage', 'shared')};
      SELECT version INTO present FROM risk.label_state;
      IF present <> begun_version AND NOT is_last THEN RETURN present; END IF;
      UPDATE risk.runs r SET state = 'done', result = given, scanned_at = at_time, alive_at = NULL, outdated = present <> begun_version
        WHERE r.id = run AND r.state = 'running' RETURNING r.chain, r.kind, r.subject, r.direction INTO own;
      IF NOT FOUND THEN RETURN NULL; END IF;
      hashes := ARRAY(SELECT DISTINCT risk.look(own.chain, l.address, l.side) AS hash FROM unnest(addresses, sides) l (address, side) ORDER BY hash);
      INSERT INTO risk.reached AS r (chain, kind, subject, direction, looked_at) VALUES (own.chain, own.kind, own.subject, own.direction, hashes)
        ON CONFLICT (subject, chain, kind, direction) DO UPDATE SET looked_at = excluded.looked_at WHERE r.looked_at <> excluded.looked_at;
      IF present <> begun_version THEN
        INSERT INTO risk.changed_subjects VALUES (own.chain, own.kind, own.subject, own.direction) ON CONFLICT DO NOTHING;
      END IF;
      RETURN NULL;
    END $$;

    -- Takes up to most changes that are due. What is committed here is seen by every score begun after, and every other is in the index or computed again.
    CREATE FUNCTION risk.take_label_changes(at_time timestamptz, most integer) RETURNS integer LANGUAGE plpgsql AS $$
    DECLARE took integer;
    BEGIN
      -- An end or a beginning that was corrected since is none. Rows that an import holds are its own until it has committed.
      UPDATE risk.label_changes SET taken = true WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM risk.label_changes WHERE NOT taken AND (due_at IS NULL OR due_at <= at_time) LIMIT most FOR UPDATE SKIP LOCKED));
      GET DIAGNOSTICS took = ROW_COUNT;
      IF took = 0 THEN RETURN 0; END IF;
      DELETE FROM risk.label_changes c WHERE c.taken AND c.due_at IS NOT NULL AND NOT EXISTS (
        SELECT FROM chain.labels l WHERE l.chain = c.chain AND l.address = c.address AND c.due_at IN (l.valid_from, l.valid_to));
      PERFORM ${advisoryLock('score-storage')};
      UPDATE risk.label_state SET version = version + 1;
      RETURN took;
    END $$;

    -- Finds the subjects of up to most changes that were taken, looking at up to most_edges of their edges, and notes that they are to be told.
    -- Returns how many edges and changes it has looked at; 0: there was nothing to do.
    CREATE FUNCTION risk.expand_label_changes(most integer, most_edges integer) RETURNS integer LANGUAGE plpgsql
    SET enable_seqscan = off SET jit = off AS $$
    DECLARE change risk.label_changes; looks bigint[]; last_hash bigint; found_edges integer; work integer := 0;
    BEGIN
      IF NOT EXISTS (SELECT FROM risk.reached) THEN
        DELETE FROM risk.label_changes WHERE taken;
        GET DIAGNOSTICS work = ROW_COUNT;
        RETURN work;
      END IF;
      FOR change IN SELECT * FROM risk.label_changes WHERE taken ORDER BY id LIMIT most LOOP
        LOOP
          SELECT array_agg(risk.look(change.chain, e.peer, 1 - e.side)), max(e.hash), count(*) INTO looks, last_hash, found_edges
            FROM (SELECT o.peer, o.side, hashtextextended(o.peer, 0) AS hash FROM chain.edges o
              WHERE left(o.address, 12) = left(change.address, 12) AND o.address = change.address AND o.chain = change.chain
                AND hashtextextended(o.peer, 0) >= change.from_hash
              ORDER BY hashtextextended(o.peer, 0) FETCH FIRST 1000 ROWS WITH TIES) e;
          -- Its own labels, once.
          IF change.from_hash = -9223372036854775808 THEN looks := risk.look(change.chain, change.address, 2) || looks; END IF;
          INSERT INTO risk.changed_subjects SELECT r.chain, r.kind, r.subject, r.direction FROM risk.reached r WHERE r.looked_at && looks
            ON CONFLICT DO NOTHING;
          work := work + found_edges + 1;
          EXIT WHEN found_edges < 1000 OR last_hash = 9223372036854775807;
          change.from_hash := last_hash + 1;
          IF work >= most_edges THEN
            UPDATE risk.label_changes SET from_hash = change.from_hash WHERE id = change.id AND taken;
            RETURN work;
          END IF;
        END LOOP;
        DELETE FROM risk.label_changes WHERE id = change.id AND taken;
        IF work >= most_edges THEN RETURN work; END IF;
      END LOOP;
      RETURN work;
    END $$;

    -- Up to most subjects: their scores are outdated, and each key that watches one is told under the next number. Numbers are committed in order.
    CREATE FUNCTION risk.tell_changed_subjects(at_time timestamptz, most integer, OUT subjects integer, OUT told integer) LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM ${advisoryLock('score-storage')};
      WITH gone AS (
        DELETE FROM risk.changed_subjects WHERE ctid = ANY (ARRAY(SELECT ctid FROM risk.changed_subjects LIMIT most FOR UPDATE))
        RETURNING chain, kind, subject, direction),
      scores AS (
        UPDATE risk.runs r SET outdated = true FROM gone g WHERE r.chain = g.chain AND r.kind = g.kind AND r.subject = g.subject
          AND r.direction = g.direction AND r.state = 'done' AND NOT r.outdated),
      numbered AS (
        SELECT w.key_sha256, g.*, s.last_number + row_number() OVER (ORDER BY g.subject, g.chain, g.kind, g.direction, w.key_sha256) AS number
        FROM gone g JOIN risk.watches w USING (subject, chain, kind, direction) CROSS JOIN risk.label_state s),
      tell AS (
        UPDATE risk.watches w SET changed_number = n.number, changed_at = at_time FROM numbered n
        WHERE w.subject = n.subject AND w.chain = n.chain AND w.kind = n.kind AND w.direction = n.direction AND w.key_sha256 = n.key_sha256 RETURNING 1),
      counts AS (SELECT (SELECT count(*) FROM gone) AS gone, (SELECT count(*) FROM numbered) AS numbered, (SELECT count(*) FROM tell) AS told)
      -- A watch may be swept meanwhile; its number is left out.
      UPDATE risk.label_state SET last_number = last_number + c.numbered FROM counts c RETURNING c.gone, c.told INTO subjects, told;
    END $$;`,
};

/** What was stored before changes were noted begins and ends too. Since when they are noted: since the migration before. */
export const labelMomentsMigration: Migration = {
  id: 'risk-api/0013-label-moments',
  sql: `
    INSERT INTO risk.label_changes (chain, address, due_at)
      SELECT DISTINCT l.chain, l.address, moment.due_at FROM chain.labels l CROSS JOIN LATERAL (VALUES (l.valid_from), (l.valid_to)) moment (due_at)
      WHERE moment.due_at > (SELECT applied_at FROM weir.migrations WHERE id = 'risk-api/0012-score-changes') - interval '1 minute'
      ON CONFLICT (due_at, chain, address) WHERE NOT taken DO NOTHING;`,
};
