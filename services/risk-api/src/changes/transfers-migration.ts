import { advisoryLock, type Migration } from '@weir/postgres';

/** A transfer changes the scores that read the sides of its addresses. See docs/decisions/0018-reverse-index.md. */
export const transferChangesMigration: Migration = {
  id: 'risk-api/0016-transfer-changes',
  sql: `
    -- Places of the reverse index (risk.look) that imported transfers have changed, each once, so the table is bounded where nobody takes them up. Imports
    -- write one after the other, so ids are committed in their order.
    CREATE SEQUENCE risk.changed_places_id;
    CREATE TABLE risk.changed_places (
      place bigint PRIMARY KEY, id bigint NOT NULL DEFAULT nextval('risk.changed_places_id'), noted_at timestamptz NOT NULL DEFAULT now());
    CREATE INDEX changed_places_in_order ON risk.changed_places (id);
    -- Places up to this id are taken up: a score that was begun before is computed again.
    ALTER TABLE risk.label_state ADD places_through bigint NOT NULL DEFAULT 0;
    -- Whether a label is among the causes. What a transfer alone has changed was right when it was told.
    ALTER TABLE risk.changed_subjects ADD by_label boolean NOT NULL DEFAULT true;
    -- The number of the last change by a label; null: changed_number is one.
    ALTER TABLE risk.watches ADD label_number bigint;

    -- From now on a score that was begun before is computed again. False: there is nothing new.
    CREATE FUNCTION risk.take_changed_places() RETURNS boolean LANGUAGE plpgsql AS $$
    DECLARE last bigint;
    BEGIN
      SELECT max(id) INTO last FROM risk.changed_places;
      IF last IS NULL OR last <= (SELECT places_through FROM risk.label_state) THEN RETURN false; END IF;
      PERFORM ${advisoryLock('score-storage')};
      UPDATE risk.label_state SET version = version + 1, places_through = last;
      RETURN true;
    END $$;

    -- Finds the subjects that read up to most places that were taken up, and notes that they are to be told. Returns how many places it has looked at.
    CREATE FUNCTION risk.expand_changed_places(most integer) RETURNS integer LANGUAGE plpgsql SET enable_seqscan = off SET jit = off AS $$
    DECLARE places bigint[];
    BEGIN
      -- What an import holds is its own until it has committed.
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

    -- As before; and a label counts where a transfer was noted first.
    CREATE OR REPLACE FUNCTION risk.expand_label_changes(most integer, most_edges integer) RETURNS integer LANGUAGE plpgsql
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

    -- As before, with the cause.
    CREATE OR REPLACE FUNCTION risk.tell_changed_subjects(at_time timestamptz, most integer, OUT subjects integer, OUT told integer) LANGUAGE plpgsql AS $$
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
      counts AS (SELECT (SELECT count(*) FROM gone) AS gone, (SELECT count(*) FROM numbered) AS numbered, (SELECT count(*) FROM tell) AS told)
      UPDATE risk.label_state SET last_number = last_number + c.numbered FROM counts c RETURNING c.gone, c.told INTO subjects, told;
    END $$;`,
};
