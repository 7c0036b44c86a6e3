import type { Migration } from '@weir/postgres';
import { rollupBatches, rollupDays, rollups } from './rollups.ts';
import { state, stateFunction } from './states.ts';

/** Longest subject in a search, in characters. A longer one is no address, and an index has a limit. */
export const subjectLength = 256;
/** In the order of value, an unknown value is below all others. */
export const unknownValue = -1;
/** From 10^20 USD on. */
export const lastUsdBucket = 60;

/**
 * One row per screening. Each part has the rank of its event, so that events may arrive in any order and repeat. Filter columns are
 * generated, so they cannot contradict the displayed ones.
 */
const screenings = `
      -- Only hexadecimal addresses, transaction ids and segwit addresses are case-insensitive.
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
      CREATE INDEX screenings_subject ON console.screenings (subject, requested_at, screening_id);
      CREATE INDEX screenings_resolved ON console.screenings (requested_at, screening_id)
        WHERE action <> 'review' AND decisions -> revision::text ->> 'resolution_id' IS NOT NULL;

      -- Adverse: an allow that no person revoked and is no longer in force; or an allow by people with a later, worse result (High, Severe or on a
      -- local sanctions list). A reused answer is older than its report. Timestamps are RFC 3339 texts in UTC, so they compare as text.
      CREATE FUNCTION console.adverse_update(action text, revision integer, decisions jsonb, result jsonb) RETURNS boolean
        LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN coalesce(CASE action
          WHEN 'allow' THEN decisions -> revision::text ->> 'resolution_id' IS NOT NULL
            AND coalesce(result ->> 'reported_at', result ->> 'scored_at') > decisions -> revision::text ->> 'decided_at'
            AND (coalesce(result -> 'reasons' ? 'LOCAL_SANCTIONS_MATCH', false)
              OR result ->> 'risk_level' = 'Severe' AND decisions -> revision::text ->> 'risk_level' IS DISTINCT FROM 'Severe'
              OR result ->> 'risk_level' = 'High' AND coalesce(decisions -> revision::text ->> 'risk_level', '') NOT IN ('High', 'Severe'))
          ELSE decisions -> revision::text ->> 'resolution_id' IS NULL AND jsonb_path_exists(decisions, '$.*.action ? (@ == "allow")') END, false);
      -- All screenings for people to review.
      CREATE INDEX screenings_for_people ON console.screenings (requested_at, screening_id)
        WHERE action = 'review' OR console.adverse_update(action, revision, decisions, result);
`;

/**
 * People's work on screenings. The projection tells which are held, and the decision after a resolution's revision tells its outcome. No
 * foreign keys: a projection can be rebuilt from the events, these tables cannot.
 */
const reviews = `
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
        -- review: held again
        action text NOT NULL CHECK (action IN ('allow', 'block', 'review')),
        reason text NOT NULL,
        -- Role and token id, never the token.
        resolved_by text NOT NULL,
        resolved_by_name text NOT NULL,
        resolved_at timestamptz NOT NULL,
        needs_approval boolean NOT NULL,
        -- Null while the second person has yet to answer.
        answer text CHECK (answer IN ('approved', 'rejected')),
        answered_by text,
        answered_by_name text,
        answer_reason text,
        answered_at timestamptz,
        CHECK (answered_by IS DISTINCT FROM resolved_by),
        CHECK (needs_approval = (answered_by IS NOT NULL) OR answer IS NULL));
      -- At most one resolution of a revision is open or sent to decision.
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
      -- decision applies a resolution only if it is stored here, and reads nothing else of this schema.
      CREATE VIEW console.stored_resolutions AS
        SELECT resolution_id, screening_id, revision, action, reason, resolved_by, resolved_by_name, resolved_at, needs_approval,
          answer, answered_by, answered_by_name, answered_at
        FROM console.resolutions;
`;

/**
 * The delivery log: one row per decision for the receiver, with its outcome. Each process writes its own clock's time. Clock skew between
 * replicas only shifts retries.
 */
const webhooks = `
      CREATE TABLE console.deliveries (
        -- The decision's event id, which is the webhook's id.
        event_id uuid PRIMARY KEY,
        screening_id uuid NOT NULL,
        revision integer NOT NULL,
        -- Each attempt sends the same bytes.
        body bytea NOT NULL,
        state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        -- Pending since: people may queue it again.
        queued_at timestamptz NOT NULL,
        next_at timestamptz NOT NULL,
        -- Session of the process that sends it now.
        owner text,
        attempted_at timestamptz,
        -- When it was delivered or given up.
        settled_at timestamptz,
        last_status integer,
        last_error text);
      CREATE INDEX deliveries_due ON console.deliveries (next_at, event_id) WHERE state = 'pending' AND owner IS NULL;
      CREATE INDEX deliveries_order ON console.deliveries (screening_id, revision) WHERE state = 'pending';
      CREATE INDEX deliveries_queued ON console.deliveries (queued_at) WHERE state = 'pending';
      CREATE INDEX deliveries_owned ON console.deliveries (owner) WHERE owner IS NOT NULL;
      CREATE INDEX deliveries_newest ON console.deliveries (created_at, event_id);
      CREATE INDEX deliveries_state ON console.deliveries (state, created_at, event_id);
      CREATE INDEX deliveries_delivered ON console.deliveries (settled_at) WHERE state = 'delivered';
      -- Receivers that answered 410, by a hash: the URL may hold a secret.
      CREATE TABLE console.webhooks_gone (
        url_sha256 bytea PRIMARY KEY,
        gone_at timestamptz NOT NULL);
`;

/** Groups of the log that have begun. A broker removes the offsets of a group that is away for long, and it must not begin anew. */
const begunGroups = `
      CREATE TABLE console.begun_groups (
        name text PRIMARY KEY,
        begun_at timestamptz NOT NULL DEFAULT clock_timestamp());
`;

/** Columns of filters, as the indexes have them. They read JSON: a generated column would rewrite the table. */
export const expressions = {
  subject: 'subject',
  from_address: "console.comparable(request -> 'transfer' ->> 'from_address')",
  to_address: "console.comparable(request -> 'transfer' ->> 'to_address')",
  user_id: `left(request -> 'transfer' ->> 'user_id', ${subjectLength})`,
  coin: `left(request -> 'transfer' ->> 'coin', ${subjectLength})`,
  // The last rule that made a revision. jsonb orders keys of revisions by number.
  rule: `left(jsonb_path_query_array(decisions, '$.*.rule ? (@ != null)') ->> -1, ${subjectLength})`,
  usd_bucket: "console.usd_bucket(console.usd(request -> 'transfer' ->> 'usd_value'))",
} as const;

/** A list in the order of time that takes values from a limit on reads the newest rows of each bucket. */
const usd = `
      CREATE FUNCTION console.usd(value text) RETURNS numeric LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE WHEN value ~ '^[0-9]{1,78}([.][0-9]{1,36})?$' THEN value::numeric END;
      -- Three buckets for each power of ten.
      CREATE FUNCTION console.usd_bucket(usd numeric) RETURNS integer LANGUAGE sql IMMUTABLE PARALLEL SAFE
        RETURN CASE WHEN usd >= 1 THEN least(floor(3 * log(usd::float8)), ${lastUsdBucket})::integer WHEN usd IS NOT NULL THEN 0 END;
`;

function indexOf(name: Exclude<keyof typeof expressions, 'subject'>): Migration {
  const index = `console.screenings_${name}`;
  const rows = name === 'rule' || name === 'usd_bucket' ? ` WHERE ${expressions[name]} IS NOT NULL` : '';
  const sql = `CREATE INDEX CONCURRENTLY screenings_${name} ON console.screenings (${expressions[name]}, requested_at, screening_id)${rows}`;
  return { id: `console/0003-${name.replaceAll('_', '-')}`, kind: 'index', index, sql };
}

/** Each list by a key is, for each state, the first rows of a range. */
function stateIndexOf(name: Exclude<keyof typeof expressions, 'usd_bucket'>): Migration {
  const rows = name === 'rule' ? ` WHERE ${expressions[name]} IS NOT NULL` : '';
  return newIndex(`${name}_state`, `(${expressions[name]}, ${state}, requested_at, screening_id)${rows}`);
}

function newIndex(name: string, of: string, step = '0008'): Migration {
  const id = `console/${step}-${name.replaceAll('_', '-')}`;
  return {
    id,
    kind: 'index',
    index: `console.screenings_${name}`,
    sql: `CREATE INDEX CONCURRENTLY screenings_${name} ON console.screenings ${of}`,
  };
}

/** Lists by value. `value_adverse` has the reviews that no state tells. */
const value = `coalesce(console.usd(request -> 'transfer' ->> 'usd_value'), ${unknownValue})`;
const valueIndexes = [
  newIndex('value_state', `(${state}, (${value}), screening_id)`, '0017'),
  newIndex('value_user_id', `(${expressions.user_id}, (${value}), screening_id)`, '0017'),
  newIndex(
    'value_adverse',
    `((${value}), screening_id) WHERE action <> 'review' AND console.adverse_update(action, revision, decisions, result)`,
    '0017',
  ),
];

/** What the indexes by state have replaced. */
const replaced = ['kind', 'action', 'level', 'resolved', 'for_people', 'subject', 'from_address', 'to_address', 'user_id', 'coin', 'rule'];

/** Whether a review may wait for people. It may be true of one that no longer does; lists check. */
const waiting = `
      ALTER TABLE console.reviews ADD COLUMN waiting boolean NOT NULL DEFAULT true;
      CREATE FUNCTION console.mark_waiting() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN
          UPDATE console.reviews r SET waiting = w.waiting
          FROM (SELECT n.screening_id, n.action = 'review' OR console.adverse_update(n.action, n.revision, n.decisions, n.result) AS waiting
            FROM changed n) AS w
          WHERE r.screening_id = w.screening_id AND r.waiting IS DISTINCT FROM w.waiting;
          RETURN NULL;
        END $$;
      CREATE TRIGGER screenings_waiting AFTER UPDATE ON console.screenings
        REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION console.mark_waiting();
      -- Of few rows, and none blocks writers for long.
      CREATE INDEX reviews_waiting_due ON console.reviews (due_at, screening_id) WHERE waiting AND due_at IS NOT NULL;
      CREATE INDEX reviews_assignee ON console.reviews (assignee, waiting, screening_id) WHERE assignee IS NOT NULL;
      CREATE INDEX resolutions_pending ON console.resolutions (screening_id) WHERE answer IS NULL;
`;

/** Reviews that people have decided. */
const waitingBatches = `
      UPDATE console.reviews SET waiting = false WHERE screening_id IN (
        SELECT r.screening_id FROM console.reviews r JOIN console.screenings s ON s.screening_id = r.screening_id
        WHERE r.waiting AND NOT (s.action IS NOT DISTINCT FROM 'review' OR console.adverse_update(s.action, s.revision, s.decisions, s.result))
        LIMIT 5000 FOR UPDATE OF r)`;

/** Where the events of a screening are in the audit log. That schema may be one of a version without the view. */
const auditOf = `
      CREATE FUNCTION console.audit_of(_screening uuid) RETURNS jsonb LANGUAGE plpgsql STABLE AS $$
        DECLARE found jsonb;
        BEGIN
          IF to_regclass('audit.positions') IS NOT NULL THEN
            SELECT jsonb_agg(jsonb_build_object('event_id', p.event_id, 'index', p.index) ORDER BY p.index) INTO found
            FROM audit.positions p WHERE p.screening_id = _screening;
          END IF;
          RETURN coalesce(found, '[]');
        END $$;
`;

/** The way of the money of each exposure: large, so lists do not read it. */
const paths = 'ALTER TABLE console.screenings ADD COLUMN paths jsonb';

/** Related holds, and the work of people on them. */
const cases = `
      CREATE TABLE console.cases (
        case_id uuid PRIMARY KEY,
        -- What further holds share with the first.
        keys text[] NOT NULL,
        opened_at timestamptz NOT NULL,
        assignee text,
        due_at timestamptz,
        escalated_at timestamptz,
        -- Null: open.
        outcome text CHECK (outcome IN ('true_positive', 'false_positive', 'filed')),
        outcome_reason text,
        outcome_by text,
        outcome_by_name text,
        outcome_at timestamptz,
        CHECK ((outcome IS NULL) = (outcome_by IS NULL)));
      CREATE INDEX cases_opened ON console.cases (opened_at, case_id);
      CREATE INDEX cases_open_keys ON console.cases USING gin (keys) WHERE outcome IS NULL;
      CREATE INDEX cases_due ON console.cases (due_at) WHERE outcome IS NULL AND escalated_at IS NULL;
      CREATE TABLE console.case_screenings (
        case_id uuid NOT NULL REFERENCES console.cases,
        screening_id uuid NOT NULL,
        -- At its addition, or when the case was closed.
        revision integer NOT NULL,
        added_at timestamptz NOT NULL,
        PRIMARY KEY (screening_id, case_id));
      CREATE INDEX case_screenings_case ON console.case_screenings (case_id);
      CREATE TABLE console.case_notes (
        note_id uuid PRIMARY KEY,
        number bigint GENERATED ALWAYS AS IDENTITY,
        case_id uuid NOT NULL REFERENCES console.cases,
        text text NOT NULL,
        written_by text NOT NULL,
        written_by_name text NOT NULL,
        written_at timestamptz NOT NULL);
      CREATE INDEX case_notes_latest ON console.case_notes (case_id, number);
      CREATE TABLE console.case_attachments (
        attachment_id uuid PRIMARY KEY,
        number bigint GENERATED ALWAYS AS IDENTITY,
        case_id uuid NOT NULL REFERENCES console.cases,
        name text NOT NULL,
        type text NOT NULL,
        bytes integer NOT NULL,
        sha256 text NOT NULL,
        attached_by text NOT NULL,
        attached_by_name text NOT NULL,
        attached_at timestamptz NOT NULL,
        content bytea NOT NULL);
      CREATE INDEX case_attachments_latest ON console.case_attachments (case_id, number);
`;

/** Sessions of the web console, and links that begin one. Secrets are stored as hashes. */
const sessions = `
      CREATE TABLE console.sessions (
        session_sha256 bytea PRIMARY KEY,
        -- Null: of a person of the OIDC provider, whose role and name are then here.
        token_sha256 bytea,
        caller_id text NOT NULL,
        role text,
        name text,
        begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        ends_at timestamptz NOT NULL,
        CONSTRAINT sessions_person CHECK (token_sha256 IS NOT NULL OR (role IS NOT NULL AND name IS NOT NULL)));
      CREATE INDEX sessions_ends ON console.sessions (ends_at);
      CREATE TABLE console.sign_in_links (
        link_sha256 bytea PRIMARY KEY,
        token_sha256 bytea NOT NULL,
        ends_at timestamptz NOT NULL);
`;

/** Filters that people keep under a name. */
const savedViews = `
      CREATE TABLE console.saved_views (
        person text NOT NULL,
        list text NOT NULL,
        name text NOT NULL,
        filter jsonb NOT NULL,
        saved_at timestamptz NOT NULL,
        PRIMARY KEY (person, list, name));
`;

/** Files of reviews, as those of cases. */
const attachments = `
      CREATE TABLE console.attachments (
        attachment_id uuid PRIMARY KEY,
        number bigint GENERATED ALWAYS AS IDENTITY,
        screening_id uuid NOT NULL,
        name text NOT NULL,
        type text NOT NULL,
        bytes integer NOT NULL,
        sha256 text NOT NULL,
        attached_by text NOT NULL,
        attached_by_name text NOT NULL,
        attached_at timestamptz NOT NULL,
        content bytea NOT NULL);
      CREATE INDEX attachments_latest ON console.attachments (screening_id, number);
`;

const results = `
      -- Each result in short, by its rank.
      ALTER TABLE console.screenings ADD COLUMN results jsonb NOT NULL DEFAULT '{}';
`;

const dueTimes = `
      -- Whether a person has set the due time, or taken it away. True for rows of versions in which only people did.
      ALTER TABLE console.reviews ADD COLUMN due_by_people boolean NOT NULL DEFAULT true;
      -- Since when a screening waits for people: its first decision after the last that did not wait, which is an allow, a block by people, or
      -- a block before the first allow. An allow waits since the first result of the latest that are all worse than the one people knew.
      CREATE FUNCTION console.waits_since(action text, revision integer, decisions jsonb, result jsonb, results jsonb) RETURNS timestamptz
        LANGUAGE sql STABLE PARALLEL SAFE
        RETURN CASE action
          WHEN 'allow' THEN (
            WITH each AS (
              SELECT r.key::bigint AS rank, r.value ->> 'reported_at' AS at, r.value ->> 'reported_at' > d.known ->> 'decided_at' AS is_later,
                coalesce(r.value ->> 'reported_at' > d.known ->> 'decided_at' AND (
                  r.value ->> 'risk_level' = 'Severe' AND d.known ->> 'risk_level' IS DISTINCT FROM 'Severe'
                  OR r.value ->> 'risk_level' = 'High' AND coalesce(d.known ->> 'risk_level', '') NOT IN ('High', 'Severe')), false) AS is_worse
              FROM jsonb_each(results) AS r, (SELECT decisions -> revision::text AS known) AS d)
            SELECT coalesce(min(at) FILTER (WHERE rank > coalesce((SELECT max(rank) FROM each WHERE NOT is_worse), -1)),
              -- A match of a local list, which has no level of its own.
              min(at) FILTER (WHERE is_later), result ->> 'reported_at', result ->> 'scored_at')::timestamptz FROM each)
          ELSE (
            WITH each AS (SELECT key::integer AS number, value AS decision FROM jsonb_each(decisions))
            SELECT min(decision ->> 'decided_at')::timestamptz FROM each WHERE number > coalesce((
              SELECT max(number) FROM each WHERE decision ->> 'action' = 'allow' OR decision ->> 'action' = 'block' AND (
                decision ->> 'resolution_id' IS NOT NULL
                OR number < ALL (SELECT number FROM each WHERE decision ->> 'action' = 'allow'))), 0)) END;
`;

export const consoleMigrations: readonly Migration[] = [
  { id: 'console/0001-initial', sql: `CREATE SCHEMA console;${screenings}${reviews}${webhooks}${begunGroups}` },
  { id: 'console/0002-usd', sql: usd },
  ...(['from_address', 'to_address', 'user_id', 'coin', 'rule', 'usd_bucket'] as const).map(indexOf),
  { id: 'console/0004-audit', sql: auditOf },
  { id: 'console/0005-sessions', sql: sessions },
  { id: 'console/0006-paths', sql: paths },
  { id: 'console/0007-state', sql: stateFunction },
  newIndex('state', `(${state}, requested_at, screening_id)`),
  ...(['subject', 'from_address', 'to_address', 'user_id', 'coin', 'rule'] as const).map(stateIndexOf),
  newIndex(
    'adverse',
    `(requested_at, screening_id) WHERE action <> 'review' AND console.adverse_update(action, revision, decisions, result)`,
  ),
  { id: 'console/0009-replaced', sql: replaced.map((name) => `DROP INDEX IF EXISTS console.screenings_${name}`).join(';') },
  { id: 'console/0010-waiting', sql: waiting },
  { id: 'console/0011-not-waiting', kind: 'batches', sql: waitingBatches },
  { id: 'console/0012-rollups', sql: rollups },
  { id: 'console/0013-sums', kind: 'batches', sql: rollupBatches },
  { id: 'console/0014-days', sql: rollupDays },
  { id: 'console/0015-sums-of-days', kind: 'batches', sql: rollupBatches },
  { id: 'console/0016-cases', sql: cases },
  ...valueIndexes,
  { id: 'console/0018-saved-views', sql: savedViews },
  { id: 'console/0019-results', sql: results },
  { id: 'console/0020-due-times', sql: dueTimes },
  { id: 'console/0021-attachments', sql: attachments },
];
