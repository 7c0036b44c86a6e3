import type { Migration } from '@weir/postgres';

/** Schema `log`. An append locks its partition's row, so offsets become visible in order and a reader never skips one. */
const tables = `
  CREATE SCHEMA log;

  CREATE TABLE log.topics (
    id smallint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    partitions smallint NOT NULL CHECK (partitions > 0));

  CREATE TABLE log.partitions (
    topic smallint NOT NULL REFERENCES log.topics,
    partition smallint NOT NULL,
    first_offset bigint NOT NULL DEFAULT 0,
    next_offset bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (topic, partition)) WITH (fillfactor = 10);

  CREATE TABLE log.records (
    record_offset bigint NOT NULL,
    appended_at_ms bigint NOT NULL,
    topic smallint NOT NULL,
    partition smallint NOT NULL,
    key text NOT NULL,
    headers jsonb NOT NULL,
    value bytea NOT NULL,
    PRIMARY KEY (topic, partition, record_offset));
  -- Values are read only a few times, so compression costs more than it saves.
  ALTER TABLE log.records ALTER COLUMN value SET STORAGE EXTERNAL;

  CREATE TABLE log.groups (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE);

  CREATE TABLE log.members (
    id text PRIMARY KEY,
    group_id integer NOT NULL REFERENCES log.groups,
    owner text NOT NULL,
    topics smallint[] NOT NULL);

  -- A group's commits. Only the owner may commit, with the epoch of its claim.
  CREATE TABLE log.assignments (
    group_id integer NOT NULL REFERENCES log.groups,
    topic smallint NOT NULL,
    partition smallint NOT NULL,
    member text,
    epoch integer NOT NULL DEFAULT 0,
    committed bigint NOT NULL DEFAULT 0,
    -- Whether the group's start is decided.
    begun boolean NOT NULL DEFAULT false,
    PRIMARY KEY (group_id, topic, partition),
    FOREIGN KEY (topic, partition) REFERENCES log.partitions) WITH (fillfactor = 10);`;

/** Appends records in one round trip. Returns unknown topics; then nothing was written. */
const append = `
  CREATE FUNCTION log.append(
    names text[], topic_index integer[], hashes integer[], keys text[], headers jsonb[], starts integer[], lengths integer[], bytes bytea)
  RETURNS text[] LANGUAGE plpgsql AS $$
  DECLARE
    ids smallint[];
    counts smallint[];
    unknown text[];
    news text;
    now_ms bigint;
  BEGIN
    SELECT array_agg(t.id ORDER BY n.ord), array_agg(t.partitions ORDER BY n.ord), array_agg(n.name) FILTER (WHERE t.id IS NULL)
      INTO ids, counts, unknown
      FROM unnest(names) WITH ORDINALITY n(name, ord) LEFT JOIN log.topics t ON t.name = n.name;
    IF unknown IS NOT NULL THEN
      RETURN unknown;
    END IF;

    -- A fixed order, so publishers never deadlock.
    PERFORM FROM log.partitions p
      WHERE (p.topic, p.partition) IN (
        SELECT ids[r.t], (r.hash % counts[r.t])::smallint FROM unnest(topic_index, hashes) r(t, hash))
      ORDER BY p.topic, p.partition FOR NO KEY UPDATE;
    now_ms := extract(epoch FROM clock_timestamp()) * 1000;

    WITH placed AS MATERIALIZED (
      SELECT ids[r.t] AS topic, (r.hash % counts[r.t])::smallint AS partition, r.key, r.headers, r.start, r.length,
        row_number() OVER (PARTITION BY r.t, r.hash % counts[r.t] ORDER BY r.ord) - 1 AS nth
      FROM unnest(topic_index, hashes, keys, headers, starts, lengths) WITH ORDINALITY r(t, hash, key, headers, start, length, ord)),
    moved AS (
      UPDATE log.partitions p SET next_offset = p.next_offset + c.n
      FROM (SELECT topic, partition, count(*) AS n FROM placed GROUP BY 1, 2) c
      WHERE p.topic = c.topic AND p.partition = c.partition
      RETURNING p.topic, p.partition, p.next_offset - c.n AS base)
    INSERT INTO log.records (topic, partition, record_offset, appended_at_ms, key, headers, value)
      SELECT p.topic, p.partition, m.base + p.nth, now_ms, p.key, p.headers, substring(bytes FROM p.start + 1 FOR p.length)
      FROM placed p JOIN moved m ON m.topic = p.topic AND m.partition = p.partition;

    news := 'records ' || array_to_string(ids, ' ');
    -- A notification holds 8,000 bytes; an empty one means news in any topic.
    PERFORM pg_notify('weir_log', CASE WHEN length(news) < 8000 THEN news ELSE '' END);
    RETURN NULL;
  END $$;`;

const groups = `
  CREATE FUNCTION log.announce(changed_group integer) RETURNS void LANGUAGE sql AS $$
    SELECT pg_notify('weir_log', 'group ' || changed_group)
  $$;

  -- Creates a topic or adds partitions; never removes any.
  CREATE FUNCTION log.create_topic(topic_name text, wanted smallint) RETURNS void LANGUAGE plpgsql AS $$
  DECLARE
    found log.topics;
  BEGIN
    -- SELECT first: an insert that conflicts would use up one of the few ids.
    INSERT INTO log.topics (name, partitions)
      SELECT topic_name, wanted WHERE NOT EXISTS (SELECT FROM log.topics WHERE name = topic_name) ON CONFLICT (name) DO NOTHING;
    -- Locked, or a group that joins concurrently would miss the new partitions.
    SELECT * INTO found FROM log.topics WHERE name = topic_name FOR NO KEY UPDATE;
    INSERT INTO log.partitions (topic, partition)
      SELECT found.id, n FROM generate_series(0, wanted - 1) n ON CONFLICT DO NOTHING;
    IF wanted <= found.partitions THEN
      RETURN;
    END IF;
    UPDATE log.topics SET partitions = wanted WHERE id = found.id;
    INSERT INTO log.assignments (group_id, topic, partition)
      SELECT DISTINCT a.group_id, found.id, n FROM log.assignments a, generate_series(found.partitions, wanted - 1) n
      WHERE a.topic = found.id ON CONFLICT DO NOTHING;
    PERFORM log.announce(a.group_id) FROM (SELECT DISTINCT group_id FROM log.assignments WHERE topic = found.id) a;
  END $$;

  -- Adds a member, and its group if new. Returns the group's id.
  CREATE FUNCTION log.join_group(group_name text, member text, member_owner text, topic_ids smallint[]) RETURNS integer LANGUAGE plpgsql AS $$
  DECLARE
    joined integer;
  BEGIN
    INSERT INTO log.groups (name)
      SELECT group_name WHERE NOT EXISTS (SELECT FROM log.groups WHERE name = group_name) ON CONFLICT (name) DO NOTHING;
    SELECT id INTO joined FROM log.groups WHERE name = group_name;
    PERFORM FROM log.topics WHERE id = ANY (topic_ids) ORDER BY id FOR SHARE;
    INSERT INTO log.assignments (group_id, topic, partition)
      SELECT joined, p.topic, p.partition FROM log.partitions p WHERE p.topic = ANY (topic_ids)
      ORDER BY p.topic, p.partition ON CONFLICT DO NOTHING;
    INSERT INTO log.members (id, group_id, owner, topics) VALUES (member, joined, member_owner, topic_ids)
      ON CONFLICT (id) DO UPDATE SET owner = excluded.owner;
    PERFORM log.announce(joined);
    RETURN joined;
  END $$;

  -- Releases partitions and commits their watermarks; removes a member that leaves.
  CREATE FUNCTION log.release(
    of_group integer, topics smallint[], partitions smallint[], epochs integer[], watermarks bigint[], leaving text)
  RETURNS void LANGUAGE plpgsql AS $$
  BEGIN
    UPDATE log.assignments a SET committed = greatest(a.committed, r.watermark), member = NULL, epoch = a.epoch + 1
      FROM unnest(topics, partitions, epochs, watermarks) r(topic, partition, epoch, watermark)
      WHERE a.group_id = of_group AND a.topic = r.topic AND a.partition = r.partition AND a.epoch = r.epoch;
    DELETE FROM log.members WHERE id = leaving;
    PERFORM log.announce(of_group);
  END $$;

  -- Commits watermarks and returns the accepted ones; the caller lost the others. Asynchronous commit is safe:
  -- after a crash, records of a lost commit are only delivered again.
  CREATE FUNCTION log.commit(
    group_ids integer[], topics smallint[], partitions smallint[], epochs integer[], watermarks bigint[])
  RETURNS TABLE (nth bigint) LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM set_config('synchronous_commit', 'off', true);
    RETURN QUERY
      UPDATE log.assignments a SET committed = greatest(a.committed, c.watermark)
      FROM unnest(group_ids, topics, partitions, epochs, watermarks) WITH ORDINALITY c(group_id, topic, partition, epoch, watermark, nth)
      WHERE a.group_id = c.group_id AND a.topic = c.topic AND a.partition = c.partition AND a.epoch = c.epoch
      RETURNING c.nth;
  END $$;`;

/** Gaps that people have resumed after or rebuilt, on Kafka too. Names, because Kafka's topics and groups have no rows here. */
const gaps = `
  CREATE TABLE log.gaps (
    group_name text NOT NULL,
    topic text NOT NULL,
    partition integer NOT NULL,
    missing bigint NOT NULL,
    available bigint NOT NULL,
    rebuilt_at timestamptz,
    PRIMARY KEY (group_name, topic, partition, missing));`;

/** As `log.append`, which calls it now. Returns the place of each record, so that its writer need not read it. */
const appendRecords = `
  CREATE FUNCTION log.append_records(
    names text[], topic_index integer[], hashes integer[], keys text[], headers jsonb[], starts integer[], lengths integer[], bytes bytea,
    OUT unknown text[], OUT partitions integer[], OUT offsets bigint[])
  LANGUAGE plpgsql AS $$
  DECLARE
    ids smallint[];
    counts smallint[];
    news text;
    now_ms bigint;
  BEGIN
    SELECT array_agg(t.id ORDER BY n.ord), array_agg(t.partitions ORDER BY n.ord), array_agg(n.name) FILTER (WHERE t.id IS NULL)
      INTO ids, counts, unknown
      FROM unnest(names) WITH ORDINALITY n(name, ord) LEFT JOIN log.topics t ON t.name = n.name;
    IF unknown IS NOT NULL THEN
      RETURN;
    END IF;

    -- A fixed order, so publishers never deadlock.
    PERFORM FROM log.partitions p
      WHERE (p.topic, p.partition) IN (
        SELECT ids[r.t], (r.hash % counts[r.t])::smallint FROM unnest(topic_index, hashes) r(t, hash))
      ORDER BY p.topic, p.partition FOR NO KEY UPDATE;
    now_ms := extract(epoch FROM clock_timestamp()) * 1000;

    WITH placed AS MATERIALIZED (
      SELECT ids[r.t] AS topic, (r.hash % counts[r.t])::smallint AS partition, r.key, r.headers, r.start, r.length, r.ord,
        row_number() OVER (PARTITION BY r.t, r.hash % counts[r.t] ORDER BY r.ord) - 1 AS nth
      FROM unnest(topic_index, hashes, keys, headers, starts, lengths) WITH ORDINALITY r(t, hash, key, headers, start, length, ord)),
    moved AS (
      UPDATE log.partitions p SET next_offset = p.next_offset + c.n
      FROM (SELECT topic, partition, count(*) AS n FROM placed GROUP BY 1, 2) c
      WHERE p.topic = c.topic AND p.partition = c.partition
      RETURNING p.topic, p.partition, p.next_offset - c.n AS base),
    stored AS (
      INSERT INTO log.records (topic, partition, record_offset, appended_at_ms, key, headers, value)
      SELECT p.topic, p.partition, m.base + p.nth, now_ms, p.key, p.headers, substring(bytes FROM p.start + 1 FOR p.length)
      FROM placed p JOIN moved m ON m.topic = p.topic AND m.partition = p.partition)
    SELECT array_agg(p.partition ORDER BY p.ord), array_agg(m.base + p.nth ORDER BY p.ord) INTO partitions, offsets
      FROM placed p JOIN moved m ON m.topic = p.topic AND m.partition = p.partition;

    news := 'records ' || array_to_string(ids, ' ');
    -- A notification holds 8,000 bytes; an empty one means news in any topic.
    PERFORM pg_notify('weir_log', CASE WHEN length(news) < 8000 THEN news ELSE '' END);
  END $$;

  CREATE OR REPLACE FUNCTION log.append(
    names text[], topic_index integer[], hashes integer[], keys text[], headers jsonb[], starts integer[], lengths integer[], bytes bytea)
  RETURNS text[] LANGUAGE sql AS $$
    SELECT (log.append_records(names, topic_index, hashes, keys, headers, starts, lengths, bytes)).unknown
  $$;`;

/**
 * As `log.append_records`, which calls it now. `appender` is a session: its process hands the records to its own members, so that only
 * topics with a member elsewhere are notified. Null notifies all. Its nested statements keep their generic plans: for short arrays
 * PostgreSQL would plan each call anew.
 */
const appendAt = `
  CREATE FUNCTION log.append_at(
    names text[], topic_index integer[], hashes integer[], keys text[], headers jsonb[], starts integer[], lengths integer[], bytes bytea,
    appender text, OUT unknown text[], OUT partitions integer[], OUT offsets bigint[], OUT appended_at_ms bigint)
  LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan AS $$
  DECLARE
    ids smallint[];
    counts smallint[];
    notified smallint[];
    news text;
  BEGIN
    SELECT array_agg(t.id ORDER BY n.ord), array_agg(t.partitions ORDER BY n.ord), array_agg(n.name) FILTER (WHERE t.id IS NULL)
      INTO ids, counts, unknown
      FROM unnest(names) WITH ORDINALITY n(name, ord) LEFT JOIN log.topics t ON t.name = n.name;
    IF unknown IS NOT NULL THEN
      RETURN;
    END IF;

    -- A fixed order, so publishers never deadlock.
    PERFORM FROM log.partitions p
      WHERE (p.topic, p.partition) IN (
        SELECT ids[r.t], (r.hash % counts[r.t])::smallint FROM unnest(topic_index, hashes) r(t, hash))
      ORDER BY p.topic, p.partition FOR NO KEY UPDATE;
    appended_at_ms := extract(epoch FROM clock_timestamp()) * 1000;

    WITH placed AS MATERIALIZED (
      SELECT ids[r.t] AS topic, (r.hash % counts[r.t])::smallint AS partition, r.key, r.headers, r.start, r.length, r.ord,
        row_number() OVER (PARTITION BY r.t, r.hash % counts[r.t] ORDER BY r.ord) - 1 AS nth
      FROM unnest(topic_index, hashes, keys, headers, starts, lengths) WITH ORDINALITY r(t, hash, key, headers, start, length, ord)),
    moved AS (
      UPDATE log.partitions p SET next_offset = p.next_offset + c.n
      FROM (SELECT topic, partition, count(*) AS n FROM placed GROUP BY 1, 2) c
      WHERE p.topic = c.topic AND p.partition = c.partition
      RETURNING p.topic, p.partition, p.next_offset - c.n AS base),
    stored AS (
      INSERT INTO log.records (topic, partition, record_offset, appended_at_ms, key, headers, value)
      SELECT p.topic, p.partition, m.base + p.nth, append_at.appended_at_ms, p.key, p.headers, substring(bytes FROM p.start + 1 FOR p.length)
      FROM placed p JOIN moved m ON m.topic = p.topic AND m.partition = p.partition)
    SELECT array_agg(p.partition ORDER BY p.ord), array_agg(m.base + p.nth ORDER BY p.ord) INTO partitions, offsets
      FROM placed p JOIN moved m ON m.topic = p.topic AND m.partition = p.partition;

    SELECT array_agg(t.id) INTO notified FROM unnest(ids) t(id)
      WHERE appender IS NULL OR EXISTS (SELECT FROM log.members m WHERE m.owner <> appender AND t.id = ANY (m.topics));
    IF notified IS NULL THEN
      RETURN;
    END IF;
    news := 'records ' || array_to_string(notified, ' ');
    -- A notification holds 8,000 bytes; an empty one means news in any topic.
    PERFORM pg_notify('weir_log', CASE WHEN length(news) < 8000 THEN news ELSE '' END);
  END $$;

  CREATE OR REPLACE FUNCTION log.append_records(
    names text[], topic_index integer[], hashes integer[], keys text[], headers jsonb[], starts integer[], lengths integer[], bytes bytea,
    OUT unknown text[], OUT partitions integer[], OUT offsets bigint[])
  LANGUAGE sql AS $$
    SELECT a.unknown, a.partitions, a.offsets FROM log.append_at(names, topic_index, hashes, keys, headers, starts, lengths, bytes, NULL) a
  $$;`;

export const eventLogMigrations: readonly Migration[] = [
  { id: 'event-log/0001-initial', sql: `${tables}${append}${groups}${gaps}` },
  { id: 'event-log/0002-places', sql: appendRecords },
  { id: 'event-log/0003-append-at', sql: appendAt },
];
