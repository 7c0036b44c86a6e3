import { advisoryLock, type Migration } from '@weir/postgres';

export const decisionMigrations: readonly Migration[] = [
  {
    id: 'decision/0001-initial',
    sql: `
      CREATE SCHEMA decision;
      -- One row per screening: its transfer, and the revision in force.
      CREATE TABLE decision.screenings (
        screening_id uuid PRIMARY KEY,
        kind text NOT NULL,
        transfer jsonb NOT NULL,
        requested_at timestamptz NOT NULL,
        deadline_at timestamptz NOT NULL,
        revision integer NOT NULL DEFAULT 0,
        action text,
        by_person boolean NOT NULL DEFAULT false,
        attempt integer NOT NULL DEFAULT 0,
        sequence integer NOT NULL DEFAULT 0,
        -- The latest renewal of the allow in force, which is too old for a permit. It is open while that allow is in force.
        renews_revision integer,
        renewal_requested_at timestamptz,
        renewal_deadline_at timestamptz);
      CREATE INDEX screenings_open ON decision.screenings (deadline_at) WHERE revision = 0;
      CREATE INDEX screenings_held ON decision.screenings (kind, requested_at) WHERE action = 'review';
      CREATE INDEX renewals_open ON decision.screenings (renewal_deadline_at) WHERE renews_revision = revision AND action = 'allow';

      -- Every decision. Its cause is unique, so nothing is decided twice. A decision by people has no policy and no evidence.
      CREATE TABLE decision.decisions (
        screening_id uuid NOT NULL,
        revision integer NOT NULL,
        cause text NOT NULL,
        action text NOT NULL,
        event_id uuid NOT NULL,
        decided_at timestamptz NOT NULL,
        policy_hash text,
        rule text,
        reason_codes json,
        shadow text,
        shadow_policy_hash text,
        evidence json,
        PRIMARY KEY (screening_id, revision),
        UNIQUE (screening_id, cause));
      CREATE INDEX decisions_decided ON decision.decisions (decided_at, screening_id, revision) WHERE evidence IS NOT NULL;
      CREATE INDEX decisions_disagreed ON decision.decisions (decided_at, screening_id, revision) WHERE shadow <> action;

      -- Every policy ever in force or in shadow, by the SHA-256 of its text.
      CREATE TABLE decision.policies (
        policy_hash text PRIMARY KEY,
        text text NOT NULL,
        first_used_at timestamptz NOT NULL DEFAULT now());
      -- The policies in force, append-only: the highest number is in force now.
      CREATE TABLE decision.policy_changes (
        number integer PRIMARY KEY,
        active text NOT NULL REFERENCES decision.policies,
        -- default, file or command
        active_by text NOT NULL,
        shadow text REFERENCES decision.policies,
        -- The policy file as last read: an unchanged file must not undo a command.
        file_hash text,
        changed_at timestamptz NOT NULL DEFAULT now());
      -- A change takes this lock exclusively, decisions share it: after a change no decision uses the earlier policy.
      CREATE FUNCTION decision.policy_in_force() RETURNS decision.policy_changes LANGUAGE plpgsql VOLATILE AS $$
        DECLARE found decision.policy_changes;
        BEGIN
          PERFORM ${advisoryLock('policy-in-force', 'shared')};
          SELECT * INTO found FROM decision.policy_changes ORDER BY number DESC LIMIT 1;
          RETURN found;
        END $$;

      -- The history that rules read. Users and addresses of any length have keys of 16 bytes.
      CREATE FUNCTION decision.history_key(text) RETURNS bytea LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
        RETURN substring(sha256(convert_to($1, 'UTF8')) FOR 16);
      CREATE TABLE decision.transfers (
        user_key bytea NOT NULL,
        counterparty_key bytea,
        -- Time of receipt: the caller's timestamp may be backdated.
        occurred_at timestamptz NOT NULL,
        kind text NOT NULL,
        -- The larger of the declared value and amount × known price; null where neither is known.
        usd_value numeric,
        -- A later result may raise usd_value.
        screening_id uuid NOT NULL);
      CREATE INDEX transfers_screening ON decision.transfers (screening_id);
      CREATE INDEX transfers_of_user ON decision.transfers (user_key, occurred_at) INCLUDE (counterparty_key, kind, usd_value);
      CREATE FUNCTION decision.received_row(screening_id uuid, kind text, transfer jsonb, received_at timestamptz) RETURNS decision.transfers LANGUAGE sql IMMUTABLE
        RETURN ROW(
          decision.history_key(transfer->>'user_id'),
          decision.history_key(CASE kind WHEN 'deposit' THEN transfer->>'from_address' ELSE transfer->>'to_address' END),
          received_at,
          kind,
          CASE WHEN transfer->>'usd_value' ~ '^[0-9]{1,78}([.][0-9]{1,36})?$' THEN (transfer->>'usd_value')::numeric END,
          screening_id)::decision.transfers;`,
  },
  {
    id: 'decision/0002-decided',
    sql: `
      -- For the gate, which must know of each decision as soon as it is committed. screening_id and revision are found by primary key.
      CREATE VIEW decision.decided AS
        SELECT d.screening_id, d.revision, s.kind, d.action, d.decided_at, s.transfer, coalesce(d.reason_codes::jsonb, '[]') AS reason_codes, d.rule
        FROM decision.decisions d JOIN decision.screenings s ON s.screening_id = d.screening_id;`,
  },
  {
    id: 'decision/0003-policy-proposals',
    sql: `
      -- A person proposes a policy, another puts it in force. The latest proposal is the one that counts.
      CREATE TABLE decision.policy_proposals (
        number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        policy_hash text NOT NULL,
        -- The change in force when it was proposed.
        after_change integer NOT NULL,
        proposed_by text NOT NULL,
        proposed_by_name text NOT NULL,
        proposed_at timestamptz NOT NULL DEFAULT now());`,
  },
  {
    id: 'decision/0004-policy-answers',
    sql: `
      -- At most one answer to each proposal.
      CREATE TABLE decision.policy_answers (
        proposal bigint PRIMARY KEY REFERENCES decision.policy_proposals (number),
        answer text NOT NULL CHECK (answer IN ('approved', 'rejected')),
        answered_by text NOT NULL,
        answered_by_name text NOT NULL,
        reason text,
        answered_at timestamptz NOT NULL DEFAULT now());`,
  },
];
