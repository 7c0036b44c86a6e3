import { screeningId } from '@weir/contracts';
import { type Pool, transaction } from '@weir/postgres';
import { rolledUpOf } from '../../../services/console/src/rollups.ts';

/** Screenings of 90 days, as an exchange has them: few customers and senders have most transfers, and few transfers are risky. */
const days = 90;
export const until = Date.UTC(2026, 0, 1);
export const since = until - days * 86_400_000;
/** Their sums stay in memory. */
const rowsPerStatement = 50_000;

/** Of the filled base, by how many screenings have it. */
export const known = {
  /** 1 % of all. */
  hotUser: 'u-hot',
  /** 5 % of all, on one side. */
  hotAddress: `0x${'a'.repeat(40)}`,
  /** 1 % of all. */
  busyAddress: `0x${'b'.repeat(40)}`,
  /** 0.05 %: too many to be read whole, too few to be met by chance. */
  mediumUser: 'u-medium',
  /** 0.05 %. */
  mediumAddress: `0x${'c'.repeat(40)}`,
  /** One of 100,000. */
  rareRule: 'rules.rare',
  /** One of 100,000. */
  rareCoin: 'DOGE',
  /** One of 50,000. */
  rareReason: 'LOCAL_SANCTIONS_MATCH',
  sourceId: 'bench-1',
  assignee: 'Ann',
} as const;

/**
 * Fills an empty, migrated base with `size` screenings as the projection would, on two sessions. Nothing is logged. Each statement sums up its
 * own rows as the triggers do, and the indexes are made at the end.
 */
export async function fillScreenings(pool: Pool, size: number, onProgress: (rows: number) => void): Promise<void> {
  const sessions = await Promise.all([openSession(pool), openSession(pool)]);
  const [first] = sessions;
  /** Each session takes the next statement when it has done one. */
  const share = async (statements: readonly Statement[], done: (count: number) => void = () => undefined): Promise<void> => {
    const left = statements.values();
    let count = 0;
    await Promise.all(
      sessions.map(async ({ run }) => {
        for (const statement of left) {
          await run(...statement);
          done((count += 1));
        }
      }),
    );
  };
  try {
    const { rows: indexes } = await first.run(
      `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
       WHERE indrelid = 'console.screenings'::regclass AND NOT indisprimary`,
    );
    for (const { name } of indexes) await first.run(`DROP INDEX ${name}`);
    for (const statement of begin) await first.run(statement);
    const parts = Array.from({ length: Math.ceil(size / rowsPerStatement) }, (_, part) => part * rowsPerStatement);
    const secondsBetween = (until - since) / 1_000 / size;
    const shared = [new Date(since).toISOString(), secondsBetween, size / 20, screeningId('deposit', known.sourceId)];
    const inserts = parts.map((from): Statement => [insertRows, [from + 1, Math.min(from + rowsPerStatement, size), ...shared]]);
    await share(inserts, (count) => onProgress(Math.min(count * rowsPerStatement, size)));
    // Before the indexes, so that they need no cleaning; autovacuum does it within minutes.
    await first.run('VACUUM console.screenings');
    await share([
      [sumUp],
      ['ALTER TABLE console.screenings ADD CONSTRAINT screenings_pkey PRIMARY KEY (screening_id)'],
      ...indexes.map(({ definition }): Statement => [definition ?? '']),
    ]);
    await first.run('ALTER TABLE console.screenings ENABLE TRIGGER USER');
    await first.run('DROP TABLE console.filled_sums');
    await share([[insertReviews, [new Date(until).toISOString(), known.assignee]], [insertResolutions]]);
    await share([
      ['ANALYZE console.screenings'],
      ...['reviews', 'resolutions', 'rollups'].map((name): Statement => [`VACUUM (ANALYZE) console.${name}`]),
    ]);
  } finally {
    for (const { end } of sessions) end();
  }
}

type Statement = readonly [text: string, values?: readonly unknown[]];

interface Session {
  readonly run: (text: string, values?: readonly unknown[]) => Promise<{ rows: Record<string, string>[] }>;
  readonly end: () => void;
}

/** Its settings end with it. */
async function openSession(pool: Pool): Promise<Session> {
  const client = await pool.connect();
  const run = (text: string, values: readonly unknown[] = []): ReturnType<Session['run']> =>
    client.query(Object.assign({ text, values: [...values] }, { query_timeout: 3_600_000 }));
  await run("SET statement_timeout = 0; SET maintenance_work_mem = '1GB'; SET work_mem = '256MB'");
  return { run, end: () => client.release(true) };
}

const begin: readonly string[] = [
  'ALTER TABLE console.screenings DROP CONSTRAINT screenings_pkey',
  'ALTER TABLE console.screenings DISABLE TRIGGER USER',
  'ALTER TABLE console.screenings SET UNLOGGED',
  'ALTER TABLE console.rollups SET UNLOGGED',
  'CREATE UNLOGGED TABLE console.filled_sums (LIKE console.rollups)',
];

const sumUp = `INSERT INTO console.rollups SELECT series, owner, hour, key, sum(count), sum(total), sum(unknown) FROM console.filled_sums GROUP BY 1, 2, 3, 4`;

export async function sizeOf(pool: Pool): Promise<{ table: number; indexes: number }> {
  return transaction(pool, async (tx) => {
    const { rows } = await tx.query<{ table: number; indexes: number }>(
      `SELECT pg_table_size('console.screenings')::float8 AS "table", pg_indexes_size('console.screenings')::float8 AS indexes`,
    );
    return rows[0] ?? { table: Number.NaN, indexes: Number.NaN };
  });
}

const exposure = (hop: number): string =>
  `jsonb_build_object('entity', 'Entity ' || abs(h / ${hop} % 1000), 'risk_type', 'gambling', 'exposure_type', 'indirect', 'hop_num', ${hop},
        'volume', h % 100000, 'percent', 12.5, 'side', 'in')`;

/** $1, $2: numbers of the rows. $3: time of row 0. $4: seconds between rows. $5: customers. $6: id of row 1. Shares come from a hash of the number. */
const insertRows = `
  WITH numbers AS (
    SELECT n, (hashint8extended(n, 1) & 1048575) / 1048576.0 AS a, (hashint8extended(n, 2) & 1048575) / 1048576.0 AS b,
      (hashint8extended(n, 3) & 1048575) / 1048576.0 AS c, (hashint8extended(n, 4) & 1048575) / 1048576.0 AS d, hashint8extended(n, 5) AS h
    FROM generate_series($1::bigint, $2::bigint) AS n),
  drawn AS (
    SELECT n, a, c, d, h, $3::timestamptz + make_interval(secs => n * $4::float8) AS at,
      CASE WHEN a < 0.8 THEN 'deposit' ELSE 'withdrawal' END AS kind,
      CASE WHEN b < 0.001 THEN NULL WHEN b < 0.931 THEN 'Low' WHEN b < 0.981 THEN 'Moderate' WHEN b < 0.996 THEN 'High' ELSE 'Severe' END AS level,
      CASE WHEN c < 0.01 THEN '${known.hotUser}' WHEN c < 0.0105 THEN '${known.mediumUser}' ELSE 'u-' || abs(h % $5::bigint) END AS user_id,
      CASE WHEN d < 0.05 THEN '${known.hotAddress}' WHEN d < 0.06 THEN '${known.busyAddress}' WHEN d < 0.0605 THEN '${known.mediumAddress}' ELSE '0x' || substr(md5('a' || h % ($5::bigint * 2)) || md5('b'), 1, 40) END AS other,
      CASE WHEN n % 100000 = 7 THEN '${known.rareCoin}' ELSE (ARRAY['USDT-TRC20', 'USDT-TRC20', 'ETH', 'ETH', 'BTC', 'USDC-ERC20', 'TRX', 'SOL'])[1 + abs(h / 7 % 8)] END AS coin,
      CASE WHEN n % 10 = 0 THEN NULL ELSE round(exp(3 + 9 * (abs(h / 11 % 1000) / 1000.0))::numeric, 2)::text END AS usd
    FROM numbers),
  judged AS (
    SELECT *, CASE WHEN level = 'Severe' THEN 'block' WHEN level IS NULL OR level = 'High' OR level = 'Moderate' AND h % 5 = 0 THEN 'review' ELSE 'allow' END AS first,
      CASE WHEN n % 100000 = 11 THEN '${known.rareRule}' ELSE kind || '.' || coalesce(level, 'UNAVAILABLE') END AS rule,
      CASE WHEN n % 50000 = 13 THEN '["${known.rareReason}"]'::jsonb ELSE jsonb_build_array('LEVEL_' || upper(coalesce(level, 'NONE'))) END AS reasons,
      -- Of those held, one of 20 still is.
      h / 13 % 20 <> 0 AS is_resolved, CASE WHEN h / 17 % 7 = 0 THEN 'block' ELSE 'allow' END AS second, n % 10000 = 17 AS is_adverse
    FROM drawn),
  decided AS (
    SELECT *, jsonb_build_object('1', jsonb_build_object('revision', 1, 'action', first, 'reason_codes', reasons, 'rule', rule, 'policy_hash', md5('policy'),
        'decided_at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'supersedes', NULL, 'resolution_id', NULL, 'outcome', 'SCORED',
        'score', 10, 'risk_level', level, 'names_sanctioned', false)) ||
      CASE WHEN first = 'review' AND is_resolved THEN jsonb_build_object('2', jsonb_build_object('revision', 2, 'action', second, 'reason_codes', '["REVIEWED"]'::jsonb,
        'rule', NULL, 'policy_hash', md5('policy'), 'decided_at', to_char((at + make_interval(secs => exp(4 + 8 * c)::float8)) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'supersedes', 1, 'resolution_id', lpad(to_hex(n), 32, '0')::uuid, 'outcome', 'SCORED', 'score', 10, 'risk_level', level))
      WHEN first = 'allow' AND is_adverse THEN jsonb_build_object('2', jsonb_build_object('revision', 2, 'action', 'block', 'reason_codes', reasons, 'rule', rule,
        'policy_hash', md5('policy'), 'decided_at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'supersedes', 1, 'resolution_id', NULL, 'risk_level', level))
      ELSE '{}' END AS decisions,
      CASE WHEN first = 'review' AND is_resolved OR first = 'allow' AND is_adverse THEN 2 ELSE 1 END AS revision,
      CASE WHEN first = 'review' AND is_resolved THEN second WHEN first = 'allow' AND is_adverse THEN 'block' ELSE first END AS action
    FROM judged),
  inserted AS (INSERT INTO console.screenings (screening_id, requested_at, request, request_rank, result, result_rank, decisions, revision, action)
  SELECT CASE n WHEN 1 THEN $6::uuid ELSE lpad(to_hex(n), 32, '0')::uuid END, at,
    jsonb_build_object('kind', kind, 'subject', CASE kind WHEN 'deposit' THEN '0x' || md5('t' || n) || md5('u') ELSE other END,
      'subject_type', CASE kind WHEN 'deposit' THEN 'txid' ELSE 'address' END, 'direction', CASE kind WHEN 'deposit' THEN 'deposit' ELSE 'withdraw' END,
      'deadline_at', at, 'transfer', jsonb_build_object(kind || '_id', 's-' || n, 'chain', CASE coin WHEN 'BTC' THEN 'bitcoin' WHEN 'SOL' THEN 'solana' WHEN 'USDT-TRC20' THEN 'tron'
        WHEN 'TRX' THEN 'tron' WHEN 'DOGE' THEN 'dogecoin' ELSE 'ethereum' END, 'coin', coin,
        'txid', CASE kind WHEN 'deposit' THEN '0x' || md5('t' || n) || md5('u') END, 'from_address', CASE kind WHEN 'deposit' THEN other END,
        'to_address', CASE kind WHEN 'deposit' THEN '0x' || substr(md5(user_id) || md5('w'), 1, 40) ELSE other END, 'amount', '1.5', 'usd_value', usd,
        'user_id', user_id, CASE kind WHEN 'deposit' THEN 'detected_at' ELSE 'requested_at' END, at)),
    1, jsonb_strip_nulls(jsonb_build_object('outcome', CASE WHEN level IS NULL THEN 'UNAVAILABLE' ELSE 'SCORED' END, 'score', 10, 'risk_level', level)) ||
      jsonb_build_object('reasons', '[]'::jsonb, 'detail_list', '["exchange", "gambling"]'::jsonb, 'address_label', '', 'hacking_event', '', 'scanned_ts', 1700000000,
      'provider', 'weir', 'evidence_sha256', md5('e' || n) || md5('f' || n), 'scored_at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reused', false,
      'risk_detail', jsonb_build_array(${[2, 3].map((hop) => exposure(hop)).join(', ')})),
    1, decisions, revision, action
    FROM decided RETURNING requested_at, request, result, decisions, revision, action)
  INSERT INTO console.filled_sums (series, owner, hour, key, count, total, unknown)
  SELECT c.series, c.owner, c.hour, c.key, sum(c.count), sum(c.total), sum(c.unknown)
  FROM inserted s CROSS JOIN LATERAL ${rolledUpOf('s')} AS c WHERE s.action IS NOT NULL GROUP BY 1, 2, 3, 4`;

/** $1: end of the time. $2: a person who has a tenth of the reviews. */
const insertReviews = `
  INSERT INTO console.reviews (screening_id, assignee, due_at)
  SELECT s.screening_id, CASE hashint8(s.request_rank + extract(epoch FROM s.requested_at)::bigint) % 10 WHEN 0 THEN $2 WHEN 1 THEN 'Ben' WHEN 2 THEN 'Cid' END,
    CASE WHEN extract(epoch FROM s.requested_at)::bigint % 3 > 0 THEN $1::timestamptz + make_interval(hours => (extract(epoch FROM s.requested_at)::bigint % 200 - 100)::int) END
  FROM console.screenings s WHERE s.action = 'review' AND extract(epoch FROM s.requested_at)::bigint % 2 = 0
  -- A screening that the installation made before has its due time already.
  ON CONFLICT (screening_id) DO NOTHING`;

const insertResolutions = `
  INSERT INTO console.resolutions (resolution_id, screening_id, revision, action, reason, resolved_by, resolved_by_name, resolved_at, needs_approval, answer, answered_at)
  SELECT screening_id, screening_id, 1, CASE action WHEN 'review' THEN 'allow' ELSE action END, 'known', 'reviewer/1', 'Ann', requested_at, action = 'review',
    CASE WHEN action <> 'review' THEN 'approved' END, CASE WHEN action <> 'review' THEN requested_at END
  FROM console.screenings WHERE action <> 'review' AND decisions -> revision::text ->> 'resolution_id' IS NOT NULL
    OR action = 'review' AND extract(epoch FROM requested_at)::bigint % 5 = 0`;
