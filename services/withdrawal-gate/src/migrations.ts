import type { Migration } from '@weir/postgres';

export const gateMigrations: readonly Migration[] = [
  {
    id: 'gate/0001-initial',
    sql: `
      CREATE SCHEMA gate;
      CREATE TABLE gate.withdrawals (
        withdrawal_id text PRIMARY KEY,
        status text NOT NULL CHECK (status IN ('pending', 'allowed', 'held', 'blocked')),
        revision integer NOT NULL DEFAULT 0,
        -- Chain, coin, receiver, amount, value and user: as requested (null: no request yet), and as decided on.
        asked jsonb,
        decided jsonb,
        -- Of the decision in force, never later than this database's clock. Null counts as too old.
        decided_at timestamptz,
        -- The revision under renewal: it gets no further permit.
        renewed_revision integer);

      CREATE TABLE gate.keys (
        kid text PRIMARY KEY,
        public_jwk jsonb NOT NULL,
        -- A JWK, or a JWE of one; null once it no longer signs.
        private_key text,
        published_at timestamptz NOT NULL DEFAULT clock_timestamp(),
        signs_from timestamptz NOT NULL,
        retired_at timestamptz,
        -- HMAC of kid and public key with the gate's secret. The gate ignores rows without it.
        mac bytea);

      CREATE TABLE gate.permits (
        permit_id uuid PRIMARY KEY,
        withdrawal_id text NOT NULL REFERENCES gate.withdrawals,
        revision integer NOT NULL,
        kid text NOT NULL REFERENCES gate.keys,
        token text NOT NULL,
        state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'redeemed', 'revoked')),
        issued_at timestamptz NOT NULL,
        expires_at timestamptz NOT NULL,
        redeemed_at timestamptz,
        redemption_id text,
        -- The first later revision other than allow: it revoked the permit, or came after redemption.
        superseded_by integer,
        CHECK ((state = 'redeemed') = (redeemed_at IS NOT NULL)));
      CREATE UNIQUE INDEX permits_open ON gate.permits (withdrawal_id) WHERE state = 'open';
      -- In any case at most one permit of a withdrawal is redeemed.
      CREATE UNIQUE INDEX permits_redeemed ON gate.permits (withdrawal_id) WHERE state = 'redeemed';
      CREATE INDEX permits_kid ON gate.permits (kid, expires_at);

      -- Redeems a signed permit in one round trip, since many may come at once. The row lock of the withdrawal orders it with decisions: one either
      -- has revoked the permit before, or finds it redeemed. Each statement sees all commits before it began, including that of the
      -- transaction that held the lock. Time is the database's.
      CREATE FUNCTION gate.redeem(_permit uuid, _withdrawal text, _token text, _exp float8, _name text)
      RETURNS TABLE (result text, permit_id uuid, redeemed_at timestamptz, redemption_id text) LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      DECLARE
        known text;
        is_past boolean;
      BEGIN
        PERFORM FROM gate.withdrawals WHERE withdrawal_id = _withdrawal AND asked IS NOT NULL FOR UPDATE;
        -- The id alone does not suffice: the whole token must equal the issued one.
        RETURN QUERY
          UPDATE gate.permits p SET state = 'redeemed', redeemed_at = clock_timestamp(), redemption_id = _name
          FROM gate.withdrawals w
          WHERE p.permit_id = _permit AND p.withdrawal_id = _withdrawal AND p.token = _token AND p.state = 'open' AND p.expires_at > clock_timestamp()
            AND w.withdrawal_id = p.withdrawal_id AND w.status = 'allowed' AND w.decided = w.asked
            AND NOT EXISTS (SELECT FROM gate.permits o WHERE o.withdrawal_id = _withdrawal AND o.state = 'redeemed')
          RETURNING 'redeemed', p.permit_id, p.redeemed_at, p.redemption_id;
        IF FOUND THEN RETURN; END IF;
        SELECT p.state, p.expires_at <= clock_timestamp() INTO known, is_past FROM gate.permits p WHERE p.permit_id = _permit AND p.token = _token;
        -- Signed by this gate but not stored: it has expired and was replaced, or was never issued. The exp claim is in whole seconds, rounded up.
        IF known IS NULL AND to_timestamp(_exp - 1) > clock_timestamp() THEN
          RETURN QUERY SELECT 'unknown', NULL::uuid, NULL::timestamptz, NULL::text;
          RETURN;
        END IF;
        RETURN QUERY
          SELECT 'redeemed_before', p.permit_id, p.redeemed_at, p.redemption_id FROM gate.permits p
          WHERE p.withdrawal_id = _withdrawal AND p.state = 'redeemed';
        IF FOUND THEN RETURN; END IF;
        RETURN QUERY SELECT CASE WHEN known = 'revoked' OR NOT is_past THEN 'revoked' ELSE 'expired' END, NULL::uuid, NULL::timestamptz, NULL::text;
      END $$;

      -- gate.redeem, if the permit's decision is the latest. _next is the event id of the following revision; any service can derive it, so only an
      -- event that decision stored counts. 'behind': a later decision exists, and nothing is redeemed.
      CREATE FUNCTION gate.redeem_latest(_permit uuid, _withdrawal text, _token text, _exp float8, _name text, _revision integer, _next uuid)
      RETURNS TABLE (result text, permit_id uuid, redeemed_at timestamptz, redemption_id text) LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      DECLARE
        latest integer;
      BEGIN
        SELECT revision INTO latest FROM gate.withdrawals WHERE withdrawal_id = _withdrawal FOR UPDATE;
        -- A separate statement sees the commits during the wait for the lock.
        IF latest IS DISTINCT FROM _revision OR EXISTS (
          SELECT FROM outbox.events WHERE service = 'decision' AND topic = 'screenings.decided' AND event_id = _next) THEN
          RETURN QUERY SELECT 'behind', NULL::uuid, NULL::timestamptz, NULL::text;
          RETURN;
        END IF;
        RETURN QUERY SELECT * FROM gate.redeem(_permit, _withdrawal, _token, _exp, _name);
      END $$;

      -- gate.redeem_latest, if no local list names the receiver. 'labelled': one may name it, and nothing is redeemed. The lists are read by index
      -- under the row lock.
      CREATE FUNCTION gate.redeem_unlisted(_permit uuid, _withdrawal text, _token text, _exp float8, _name text, _revision integer, _next uuid,
        _chains text[], _addresses text[], _categories text[], _has_labels boolean)
      RETURNS TABLE (result text, permit_id uuid, redeemed_at timestamptz, redemption_id text) LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      BEGIN
        PERFORM FROM gate.withdrawals WHERE withdrawal_id = _withdrawal FOR UPDATE;
        -- The first import creates the table.
        IF _has_labels OR to_regclass('chain.labels') IS NOT NULL THEN
          PERFORM FROM chain.labels l
          WHERE l.chain = ANY (_chains) AND l.address = ANY (_addresses) AND lower(l.category) = ANY (_categories)
            AND coalesce(l.valid_from <= clock_timestamp(), true) AND coalesce(l.valid_to > clock_timestamp(), true);
          IF FOUND THEN
            RETURN QUERY SELECT 'labelled', NULL::uuid, NULL::timestamptz, NULL::text;
            RETURN;
          END IF;
        END IF;
        RETURN QUERY SELECT * FROM gate.redeem_latest(_permit, _withdrawal, _token, _exp, _name, _revision, _next);
      END $$;`,
  },
  {
    id: 'gate/0002-why',
    sql: `
      -- Revision, reason codes and rule of a decision. It counts only for its own revision, because the previous version does not write it.
      ALTER TABLE gate.withdrawals ADD COLUMN why jsonb;`,
  },
  {
    id: 'gate/0003-later-decisions',
    sql: `
      -- Committed decisions after _revision: the latest that allows and the latest that does not. decided_at is in Unix milliseconds. Where
      -- decision has another database there are none, and the age of unread decisions is the only bound.
      CREATE FUNCTION gate.later_decisions(_screening uuid, _revision integer)
      RETURNS TABLE (screening_id uuid, revision integer, kind text, action text, decided_at float8, transfer jsonb,
        reason_codes jsonb, rule text) LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      BEGIN
        IF to_regnamespace('decision') IS NULL THEN RETURN; END IF;
        RETURN QUERY
          SELECT DISTINCT ON (d.action = 'allow') d.screening_id, d.revision, d.kind, d.action,
            round(extract(epoch FROM d.decided_at) * 1000)::float8, d.transfer, d.reason_codes, d.rule
          FROM decision.decided d WHERE d.screening_id = _screening AND d.revision > _revision
          ORDER BY d.action = 'allow', d.revision DESC;
      END $$;

      -- gate.redeem, if the permit's decision is the latest and no local list names the receiver. 'behind': a later decision exists.
      -- 'labelled': a list may name the receiver. Either redeems nothing. The lists are read by index under the row lock.
      CREATE FUNCTION gate.redeem_current(_permit uuid, _withdrawal text, _token text, _exp float8, _name text, _revision integer, _screening uuid,
        _chains text[], _addresses text[], _categories text[], _has_labels boolean)
      RETURNS TABLE (result text, permit_id uuid, redeemed_at timestamptz, redemption_id text) LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      DECLARE
        latest integer;
      BEGIN
        SELECT revision INTO latest FROM gate.withdrawals WHERE withdrawal_id = _withdrawal FOR UPDATE;
        -- The first import creates the table.
        IF _has_labels OR to_regclass('chain.labels') IS NOT NULL THEN
          PERFORM FROM chain.labels l
          WHERE l.chain = ANY (_chains) AND l.address = ANY (_addresses) AND lower(l.category) = ANY (_categories)
            AND coalesce(l.valid_from <= clock_timestamp(), true) AND coalesce(l.valid_to > clock_timestamp(), true);
          IF FOUND THEN
            RETURN QUERY SELECT 'labelled', NULL::uuid, NULL::timestamptz, NULL::text;
            RETURN;
          END IF;
        END IF;
        -- A separate statement sees the commits during the wait for the lock.
        IF latest IS DISTINCT FROM _revision OR EXISTS (SELECT FROM gate.later_decisions(_screening, _revision)) THEN
          RETURN QUERY SELECT 'behind', NULL::uuid, NULL::timestamptz, NULL::text;
          RETURN;
        END IF;
        RETURN QUERY SELECT * FROM gate.redeem(_permit, _withdrawal, _token, _exp, _name);
      END $$;`,
  },
  {
    id: 'gate/0004-journal',
    sql: `
      -- A redemption that only the journal knew has neither.
      ALTER TABLE gate.permits ALTER kid DROP NOT NULL, ALTER token DROP NOT NULL;
      ALTER TABLE gate.permits ADD CONSTRAINT permits_signed CHECK (state = 'redeemed' OR (kid IS NOT NULL AND token IS NOT NULL));

      -- As before, and a permit that only the journal knew was redeemed before.
      CREATE OR REPLACE FUNCTION gate.redeem(_permit uuid, _withdrawal text, _token text, _exp float8, _name text)
      RETURNS TABLE (result text, permit_id uuid, redeemed_at timestamptz, redemption_id text) LANGUAGE plpgsql AS $$
      #variable_conflict use_column
      DECLARE
        known text;
        is_past boolean;
      BEGIN
        PERFORM FROM gate.withdrawals WHERE withdrawal_id = _withdrawal AND asked IS NOT NULL FOR UPDATE;
        -- The id alone does not suffice: the whole token must equal the issued one.
        RETURN QUERY
          UPDATE gate.permits p SET state = 'redeemed', redeemed_at = clock_timestamp(), redemption_id = _name
          FROM gate.withdrawals w
          WHERE p.permit_id = _permit AND p.withdrawal_id = _withdrawal AND p.token = _token AND p.state = 'open' AND p.expires_at > clock_timestamp()
            AND w.withdrawal_id = p.withdrawal_id AND w.status = 'allowed' AND w.decided = w.asked
            AND NOT EXISTS (SELECT FROM gate.permits o WHERE o.withdrawal_id = _withdrawal AND o.state = 'redeemed')
          RETURNING 'redeemed', p.permit_id, p.redeemed_at, p.redemption_id;
        IF FOUND THEN RETURN; END IF;
        SELECT p.state, p.expires_at <= clock_timestamp() INTO known, is_past FROM gate.permits p
        WHERE p.permit_id = _permit AND coalesce(p.token, _token) = _token;
        -- Signed by this gate but not stored: it has expired and was replaced, or was never issued. The exp claim is in whole seconds, rounded up.
        IF known IS NULL AND to_timestamp(_exp - 1) > clock_timestamp() THEN
          RETURN QUERY SELECT 'unknown', NULL::uuid, NULL::timestamptz, NULL::text;
          RETURN;
        END IF;
        RETURN QUERY
          SELECT 'redeemed_before', p.permit_id, p.redeemed_at, p.redemption_id FROM gate.permits p
          WHERE p.withdrawal_id = _withdrawal AND p.state = 'redeemed';
        IF FOUND THEN RETURN; END IF;
        RETURN QUERY SELECT CASE WHEN known = 'revoked' OR NOT is_past THEN 'revoked' ELSE 'expired' END, NULL::uuid, NULL::timestamptz, NULL::text;
      END $$;`,
  },
  {
    id: 'gate/0005-redeemed-terms',
    // For who compares payments on chain with the permits that allow them.
    sql: `
      CREATE VIEW gate.redeemed_terms AS
        SELECT w.withdrawal_id, w.asked ->> 'chain' AS chain, w.asked ->> 'coin' AS coin, w.asked ->> 'to_address' AS to_address,
          -- A withdrawal from the topic may have any text, and is then held.
          CASE WHEN w.asked ->> 'amount' ~ '^[0-9]{1,80}([.][0-9]{1,60})?$' THEN (w.asked ->> 'amount')::numeric END AS amount, p.redeemed_at
        FROM gate.permits p JOIN gate.withdrawals w USING (withdrawal_id) WHERE p.state = 'redeemed' AND w.asked IS NOT NULL;
      -- Not concurrently: that waits for every older transaction, such as an import of labels, and the gate with it.
      CREATE INDEX withdrawals_receiver ON gate.withdrawals ((asked ->> 'to_address'))`,
  },
];
