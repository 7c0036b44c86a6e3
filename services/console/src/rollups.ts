import { advisoryLock } from '@weir/postgres';

/** Holds of about the same length are counted as one: each bucket ends a fifth above its begin. */
const bucketRatio = 1.2;

/** Arguments of `console.rolled_up` for a row of `console.screenings`. */
export const rolledUpOf = (row: string): string =>
  `console.rolled_up(${['requested_at', 'request', 'result', 'decisions', 'revision', 'action'].map((name) => `${row}.${name}`).join(', ')})`;

const columns = 'series, owner, hour, key';
const sums = 'sum(c.count) AS count, sum(c.total) AS total, sum(c.unknown) AS unknown';

/**
 * What differs between the rollups and the screenings that they sum up: no row while all is well. Both are read in one snapshot, so it is also
 * exact while others write.
 */
export const rollupGaps = `
  SELECT ${columns}, sum(count) AS count, sum(total) AS total, sum(unknown) AS unknown FROM (
    SELECT ${columns}, count, total, unknown FROM console.screenings s CROSS JOIN LATERAL ${rolledUpOf('s')} WHERE s.action IS NOT NULL
    UNION ALL SELECT ${columns}, -count, -total, -unknown FROM console.rollups) AS c
  GROUP BY ${columns} HAVING sum(count) <> 0 OR sum(total) <> 0 OR sum(unknown) <> 0`;

const contributions = `          SELECT v.series, v.owner, v.hour, v.key, 1::bigint, coalesce(v.usd, 0), (v.usd IS NULL)::int::bigint FROM (VALUES
            ('transfers', '', date_trunc('hour', _at, 'UTC'), ARRAY[_action, _result ->> 'risk_level',
              left(jsonb_path_query_array(_decisions, '$.*.rule ? (@ != null)') ->> -1, 256), left(_request -> 'transfer' ->> 'coin', 256)],
              console.usd(_request -> 'transfer' ->> 'usd_value')),
            ('users', left(_request -> 'transfer' ->> 'user_id', 256), '-infinity', ARRAY[_request ->> 'kind', _action, _result ->> 'risk_level',
              (_action IS NOT DISTINCT FROM 'review' OR console.adverse_update(_action, _revision, _decisions, _result))::text],
              console.usd(_request -> 'transfer' ->> 'usd_value'))) AS v(series, owner, hour, key, usd)
          WHERE v.owner IS NOT NULL
          UNION ALL
          SELECT h.* FROM (
            SELECT min(d.key::int) AS revision, (array_agg(d.value ->> 'decided_at' ORDER BY d.key::int))[1]::timestamptz AS held_at,
              (array_agg(d.value ->> 'rule' ORDER BY d.key::int DESC) FILTER (WHERE d.value ->> 'resolution_id' IS NULL))[1] AS rule
            FROM jsonb_each(_decisions) AS d WHERE d.value ->> 'action' = 'review') AS held
          CROSS JOIN LATERAL (
            SELECT extract(epoch FROM (SELECT (d.value ->> 'decided_at')::timestamptz FROM jsonb_each(_decisions) AS d
              WHERE d.value ->> 'action' <> 'review' AND d.key::int > held.revision ORDER BY d.key::int LIMIT 1) - held.held_at) AS seconds) AS e
          CROSS JOIN LATERAL (VALUES
            ('holds', '', date_trunc('hour', _at, 'UTC'), ARRAY[held.rule, CASE WHEN _action = 'review' THEN 'open'
              WHEN _decisions -> _revision::text ->> 'resolution_id' IS NULL THEN 'policy' ELSE _action END], 1::bigint, 0::numeric, 0::bigint),
            ('hold_times', '', date_trunc('hour', _at, 'UTC'), ARRAY[floor(ln(greatest(e.seconds, 1)) / ln(${bucketRatio}))::int::text], 1::bigint, e.seconds, 0::bigint)
            ) AS h(series, owner, hour, key, count, total, unknown)
          WHERE jsonb_path_exists(_decisions, '$.*.action ? (@ == "review")') AND (h.series = 'holds' OR e.seconds IS NOT NULL)
`;

const rolledUp = `      CREATE FUNCTION console.rolled_up(_at timestamptz, _request jsonb, _result jsonb, _decisions jsonb, _revision integer, _action text)
        RETURNS TABLE (series text, owner text, hour timestamptz, key text[], count bigint, total numeric, unknown bigint)
        LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
${contributions}        $$;

`;

/**
 * Sums of screenings, changed in the transaction that changes a screening. Only decided ones count: others are few and soon decided.
 * Triggers keep the sums, so a replica of the version before, which knows nothing of them, keeps them too.
 */
export const rollups = `
      CREATE TABLE console.rollups (
        -- transfers, users, holds or hold_times
        series text NOT NULL,
        -- Of users: the user.
        owner text NOT NULL,
        -- Of the request. Of users: none.
        hour timestamptz NOT NULL,
        -- transfers: action, level, rule, coin; users: kind, action, level, whether it waits for people; holds: rule, how people decided;
        -- hold_times: bucket of the length.
        key text[] NOT NULL,
        count bigint NOT NULL,
        -- USD; of hold_times: seconds.
        total numeric NOT NULL,
        -- Screenings without a declared value.
        unknown bigint NOT NULL,
        PRIMARY KEY (series, owner, hour, key));
      ALTER TABLE console.rollups SET (fillfactor = 70);

${rolledUp}      CREATE FUNCTION console.roll_up() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          IF TG_OP = 'TRUNCATE' THEN
            DELETE FROM console.rollups;
            UPDATE console.reviews SET waiting = true WHERE NOT waiting;
            RETURN NULL;
          END IF;
          IF NOT EXISTS (SELECT FROM after_rows) THEN RETURN NULL; END IF;
          -- Without it, two transactions could each wait for a sum that the other has changed.
          PERFORM ${advisoryLock('console-rollups')};
          IF TG_OP = 'INSERT' THEN
            INSERT INTO console.rollups AS r (${columns}, count, total, unknown)
            SELECT c.series, c.owner, c.hour, c.key, ${sums} FROM after_rows s CROSS JOIN LATERAL ${rolledUpOf('s')} AS c
            WHERE s.action IS NOT NULL GROUP BY 1, 2, 3, 4
            ON CONFLICT (${columns}) DO UPDATE SET count = r.count + EXCLUDED.count, total = r.total + EXCLUDED.total, unknown = r.unknown + EXCLUDED.unknown;
          ELSE
            INSERT INTO console.rollups AS r (${columns}, count, total, unknown)
            SELECT c.series, c.owner, c.hour, c.key, ${sums} FROM (
              SELECT a.* FROM after_rows s CROSS JOIN LATERAL ${rolledUpOf('s')} AS a WHERE s.action IS NOT NULL
              UNION ALL SELECT b.series, b.owner, b.hour, b.key, -b.count, -b.total, -b.unknown
              FROM before_rows s CROSS JOIN LATERAL ${rolledUpOf('s')} AS b WHERE s.action IS NOT NULL) AS c
            GROUP BY 1, 2, 3, 4 HAVING sum(c.count) <> 0 OR sum(c.total) <> 0 OR sum(c.unknown) <> 0
            ON CONFLICT (${columns}) DO UPDATE SET count = r.count + EXCLUDED.count, total = r.total + EXCLUDED.total, unknown = r.unknown + EXCLUDED.unknown;
          END IF;
          RETURN NULL;
        END $$;
      CREATE TRIGGER screenings_rolled_up_insert AFTER INSERT ON console.screenings
        REFERENCING NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION console.roll_up();
      CREATE TRIGGER screenings_rolled_up_update AFTER UPDATE ON console.screenings
        REFERENCING OLD TABLE AS before_rows NEW TABLE AS after_rows FOR EACH STATEMENT EXECUTE FUNCTION console.roll_up();
      CREATE TRIGGER screenings_rolled_up_truncate AFTER TRUNCATE ON console.screenings
        FOR EACH STATEMENT EXECUTE FUNCTION console.roll_up();
`;

/** Sums up what was there before. Adding what is missing is right at any time, so writers go on. The lock comes behind the sums. */
export const rollupBatches = `
      WITH gaps AS MATERIALIZED (${rollupGaps}),
        locked AS MATERIALIZED (SELECT n, ${advisoryLock('console-rollups')} FROM (SELECT count(*) AS n FROM gaps) AS counted)
      INSERT INTO console.rollups AS r (${columns}, count, total, unknown)
      SELECT gaps.* FROM gaps CROSS JOIN locked
      ON CONFLICT (${columns}) DO UPDATE SET count = r.count + EXCLUDED.count, total = r.total + EXCLUDED.total, unknown = r.unknown + EXCLUDED.unknown`;

/** Sums of whole days besides, of what statistics read: a month of hours is too much for one answer. */
export const rollupDays = rolledUp.replace('CREATE FUNCTION', 'CREATE OR REPLACE FUNCTION').replace(
  contributions,
  () => `
          SELECT g.series, o.owner, g.hour, o.key, o.count, o.total, o.unknown FROM (${contributions}) AS o(series, owner, hour, key, count, total, unknown)
          CROSS JOIN LATERAL (VALUES (o.series, o.hour), (CASE WHEN o.series <> 'users' THEN o.series || '_by_day' END, date_trunc('day', o.hour, 'UTC'))) AS g(series, hour)
          WHERE g.series IS NOT NULL`,
);
