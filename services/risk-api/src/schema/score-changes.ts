import { advisoryLock } from '@weir/postgres';

/** Finds the scores that a label or a transfer may have changed, and the keys to notify. See docs/decisions/0018-reverse-index.md. */
export const scoreChanges = `
  -- One row. version: increases when changed labels or places are processed, or stored while there is no score; a score begun under an earlier
  -- version is computed again. last_number: of the last published change. places_through: places up to this id are processed.
  CREATE TABLE risk.label_state (
    one boolean PRIMARY KEY DEFAULT true CHECK (one), version bigint NOT NULL DEFAULT 0, last_number bigint NOT NULL DEFAULT 0,
    places_through bigint NOT NULL DEFAULT 0);
  INSERT INTO risk.label_state DEFAULT VALUES;

  -- Addresses with changed labels, stored with the labels. due_at: when a label's validity begins or ends; null: at once.
  CREATE TABLE risk.label_changes (
    id bigint GENERATED ALWAYS AS IDENTITY, chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL,
    stored_at timestamptz NOT NULL DEFAULT now(), due_at timestamptz,
    taken boolean NOT NULL DEFAULT false,
    from_hash bigint NOT NULL DEFAULT -9223372036854775808); -- the peer at which the next step continues a hub's edges
  -- At most one row per address and timestamp: the table stays bounded without a reader. No further index: imports write as many rows.
  CREATE UNIQUE INDEX label_changes_waiting ON risk.label_changes (due_at NULLS FIRST, chain, address) NULLS NOT DISTINCT WHERE NOT taken;
  CREATE INDEX label_changes_taken ON risk.label_changes (id) WHERE taken;

  -- The reverse index: the read set of each subject's newest score, as hashes of address sides, and of addresses whose own labels count.
  CREATE TABLE risk.reached (
    chain text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, direction text COLLATE "C" NOT NULL,
    looked_at bigint[] NOT NULL, PRIMARY KEY (subject, chain, kind, direction));
  CREATE INDEX reached_looked_at ON risk.reached USING gin (looked_at) WITH (fastupdate = off);
  -- side 0: received by the address; 1: sent by it; 2: its own labels.
  CREATE FUNCTION risk.look(chain text, address text, side integer) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN hashtextextended(chain || ' ' || address, side);
  -- Places of the reverse index (risk.look) changed by imported transfers, each once: the table stays bounded without a reader. Imports are
  -- serialized, so ids are committed in order.
  CREATE SEQUENCE risk.changed_places_id;
  CREATE TABLE risk.changed_places (
    place bigint PRIMARY KEY, id bigint NOT NULL DEFAULT nextval('risk.changed_places_id'), noted_at timestamptz NOT NULL DEFAULT now());
  CREATE INDEX changed_places_in_order ON risk.changed_places (id);
  -- Subjects whose change is to be published.
  CREATE TABLE risk.changed_subjects (
    chain text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL, direction text COLLATE "C" NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now(),
    -- Whether a label is among the causes. A score changed by transfers alone was right at its time.
    by_label boolean NOT NULL DEFAULT true,
    PRIMARY KEY (subject, chain, kind, direction));

  -- Keys that requested a subject's score, and the number and time of its last published change.
  CREATE TABLE risk.watches (
    key_sha256 bytea NOT NULL, chain text COLLATE "C" NOT NULL, kind text COLLATE "C" NOT NULL, subject text COLLATE "C" NOT NULL,
    direction text COLLATE "C" NOT NULL, asked_at timestamptz NOT NULL, changed_number bigint, changed_at timestamptz,
    label_number bigint, -- of the last change by a label; null: changed_number
    PRIMARY KEY (subject, chain, kind, direction, key_sha256));
  CREATE INDEX watches_changed ON risk.watches (key_sha256, changed_number) WHERE changed_number IS NOT NULL;
  CREATE INDEX watches_asked ON risk.watches (asked_at);

  -- Stores a watch, unless one was stored since noted_since. A key stored here sees every change published before, or is notified.
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

  -- Checks the key and its limits; if the call is admitted, also stores the watch and reads the newest score. One round trip.
  CREATE FUNCTION risk.admit_scored(wanted bytea, wanted_surface text, of_chain text, of_kind text, of_subject text, of_direction text,
    since timestamptz, at_time timestamptz, noted_since timestamptz,
    OUT verdict text, OUT retry_after integer, OUT run_result jsonb, OUT run_scanned_at timestamptz)
  LANGUAGE plpgsql AS $$
  BEGIN
    SELECT a.verdict, a.retry_after INTO verdict, retry_after FROM risk.admit(wanted, wanted_surface, true) a;
    IF verdict = 'ok' THEN
      -- The watch nearly always exists: checked inline, as a function call doubles the cost.
      PERFORM FROM risk.watches w WHERE w.subject = of_subject AND w.chain = of_chain AND w.kind = of_kind AND w.direction = of_direction
        AND w.key_sha256 = wanted AND w.asked_at > noted_since;
      IF NOT FOUND THEN PERFORM risk.watch(wanted, of_chain, of_kind, of_subject, of_direction, at_time, noted_since); END IF;
      SELECT r.result, r.scanned_at INTO run_result, run_scanned_at FROM risk.runs r
        WHERE r.chain = of_chain AND r.kind = of_kind AND r.subject = of_subject AND r.direction = of_direction
          AND r.state = 'done' AND r.scanned_at > since AND NOT r.outdated
        ORDER BY r.scanned_at DESC LIMIT 1;
    END IF;
  END $$;

  -- Stores a score with its read set. Null: it is stored, now or before. Otherwise labels changed since it began: compute it again under the
  -- returned version. The last attempt is stored all the same, and published as changed.
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

  -- Takes up to most due changes. Every score begun after the commit reads them; every other is in the index or computed again.
  CREATE FUNCTION risk.take_label_changes(at_time timestamptz, most integer) RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE took integer;
  BEGIN
    UPDATE risk.label_changes SET taken = true WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM risk.label_changes WHERE NOT taken AND (due_at IS NULL OR due_at <= at_time) LIMIT most FOR UPDATE SKIP LOCKED));
    GET DIAGNOSTICS took = ROW_COUNT;
    IF took = 0 THEN RETURN 0; END IF;
    -- Drops validity limits corrected since. The index of the labels begins with the chain.
    DELETE FROM risk.label_changes c WHERE c.taken AND c.due_at IS NOT NULL AND NOT EXISTS (
      SELECT FROM chain.chain_data d JOIN chain.labels l ON l.chain = d.chain AND l.address = c.address WHERE c.due_at IN (l.valid_from, l.valid_to));
    PERFORM ${advisoryLock('score-storage')};
    UPDATE risk.label_state SET version = version + 1;
    RETURN took;
  END $$;

  -- Finds the subjects of up to most taken changes, reading up to most_edges of their edges, and queues them for publication. Returns the
  -- number of edges and changes read; 0: nothing to do.
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
        INSERT INTO risk.changed_subjects (chain, kind, subject, direction) SELECT r.chain, r.kind, r.subject, r.direction FROM risk.reached r WHERE r.looked_at && looks
          ON CONFLICT (subject, chain, kind, direction) DO UPDATE SET by_label = true;
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

  -- From now on a running score is computed again. False: nothing new.
  CREATE FUNCTION risk.take_changed_places() RETURNS boolean LANGUAGE plpgsql AS $$
  DECLARE last bigint;
  BEGIN
    SELECT max(id) INTO last FROM risk.changed_places;
    IF last IS NULL OR last <= (SELECT places_through FROM risk.label_state) THEN RETURN false; END IF;
    PERFORM ${advisoryLock('score-storage')};
    UPDATE risk.label_state SET version = version + 1, places_through = last;
    RETURN true;
  END $$;

  -- Queues the subjects whose read set has one of up to most processed places. Returns the number of places.
  CREATE FUNCTION risk.expand_changed_places(most integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
  DECLARE places bigint[];
  BEGIN
    -- Skips rows locked by an uncommitted import.
    WITH gone AS (
      DELETE FROM risk.changed_places WHERE place = ANY (ARRAY(
        SELECT place FROM risk.changed_places WHERE id <= (SELECT places_through FROM risk.label_state) ORDER BY id LIMIT most FOR UPDATE SKIP LOCKED))
      RETURNING place)
    SELECT array_agg(place) INTO places FROM gone;
    IF places IS NULL THEN RETURN 0; END IF;
    INSERT INTO risk.changed_subjects (chain, kind, subject, direction, by_label)
      SELECT r.chain, r.kind, r.subject, r.direction, false FROM risk.reached r WHERE r.looked_at && places
      ON CONFLICT DO NOTHING;
    RETURN cardinality(places);
  END $$;

  -- Marks the scores of up to most subjects as outdated, and notifies each watching key under the next number. Numbers commit in order.
  CREATE FUNCTION risk.notify_changed_subjects(at_time timestamptz, most integer, OUT subjects integer, OUT notified integer) LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM ${advisoryLock('score-storage')};
    WITH gone AS (
      DELETE FROM risk.changed_subjects WHERE ctid = ANY (ARRAY(SELECT ctid FROM risk.changed_subjects LIMIT most FOR UPDATE))
      RETURNING chain, kind, subject, direction, by_label),
    scores AS (
      UPDATE risk.runs r SET outdated = true FROM gone g WHERE r.chain = g.chain AND r.kind = g.kind AND r.subject = g.subject
        AND r.direction = g.direction AND r.state = 'done' AND NOT r.outdated),
    numbered AS (
      SELECT w.key_sha256, g.*, s.last_number + row_number() OVER (ORDER BY g.subject, g.chain, g.kind, g.direction, w.key_sha256) AS number
      FROM gone g JOIN risk.watches w USING (subject, chain, kind, direction) CROSS JOIN risk.label_state s),
    tell AS (
      UPDATE risk.watches w SET changed_number = n.number, changed_at = at_time,
        label_number = CASE WHEN n.by_label THEN n.number ELSE coalesce(w.label_number, w.changed_number, 0) END
      FROM numbered n
      WHERE w.subject = n.subject AND w.chain = n.chain AND w.kind = n.kind AND w.direction = n.direction AND w.key_sha256 = n.key_sha256 RETURNING 1),
    counts AS (SELECT (SELECT count(*) FROM gone) AS gone, (SELECT count(*) FROM numbered) AS numbered, (SELECT count(*) FROM tell) AS notified)
    -- A watch may be deleted meanwhile; its number is skipped.
    UPDATE risk.label_state SET last_number = last_number + c.numbered FROM counts c RETURNING c.gone, c.notified INTO subjects, notified;
  END $$;
`;
