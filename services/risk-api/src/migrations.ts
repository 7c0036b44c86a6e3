import { advisoryLockOf, type Migration } from '@weir/postgres';
import { chainDataMigrations, pricesMigration } from './chain-data/migration.ts';
import { changesMigration, labelMomentsMigration } from './changes/migration.ts';
import { sanctionsChangesMigration } from './changes/sanctions-migration.ts';
import { transferChangesMigration } from './changes/transfers-migration.ts';
import { operationsMigration } from './migrations-ops.ts';
import { paymentsMigration } from './pay/migration.ts';
import { reportKeysMigration } from './report/migration.ts';

/** The name under which `migrate` knows this module. */
export const riskApiModule = 'risk-api';

/** Schema `chain`: facts. Schema `risk`: keys, limits, tasks. */
export const riskApiMigrations: readonly Migration[] = [
  {
    id: 'risk-api/0001-facts',
    sql: `
      CREATE SCHEMA chain;
      CREATE TABLE chain.labels (
        chain text NOT NULL, address text NOT NULL, name text NOT NULL, category text NOT NULL, source text NOT NULL,
        valid_from timestamptz, valid_to timestamptz, confidence double precision NOT NULL,
        UNIQUE NULLS NOT DISTINCT (chain, address, source, category, name, valid_from));
      CREATE TABLE chain.transfers (
        chain text NOT NULL, txid text NOT NULL, position integer NOT NULL, from_address text NOT NULL, to_address text NOT NULL,
        coin text NOT NULL, amount numeric, usd numeric, at timestamptz NOT NULL, source text NOT NULL,
        PRIMARY KEY (chain, txid, position, coin, from_address, to_address));
      -- Sums of chain.transfers, kept in the transaction that writes them. Without nobodies, and without an address and itself.
      CREATE TABLE chain.pairs (
        chain text NOT NULL, from_address text NOT NULL, to_address text NOT NULL,
        transfers bigint NOT NULL, unknown_transfers bigint NOT NULL, usd numeric NOT NULL,
        PRIMARY KEY (chain, from_address, to_address));
      CREATE INDEX pairs_to ON chain.pairs (chain, to_address);`,
  },
  {
    id: 'risk-api/0002-keys',
    sql: `
      CREATE SCHEMA risk;
      CREATE TABLE risk.api_keys (
        key_sha256 bytea PRIMARY KEY, surface text NOT NULL CHECK (surface IN ('standard', 'sandbox')), name text NOT NULL,
        per_second integer CHECK (per_second > 0), per_day integer CHECK (per_day > 0),
        expires_at timestamptz, revoked_at timestamptz, created_at timestamptz NOT NULL DEFAULT now());
      -- One row a key, changed in place at every counted call: room in the page keeps that cheap.
      CREATE TABLE risk.key_usage (
        key_sha256 bytea PRIMARY KEY REFERENCES risk.api_keys ON DELETE CASCADE,
        accepted bigint NOT NULL DEFAULT 0, day date NOT NULL DEFAULT '2000-01-01', accepted_today integer NOT NULL DEFAULT 0,
        last_at timestamptz NOT NULL DEFAULT '-infinity') WITH (fillfactor = 20);
      -- When each of the last per_second calls of a key was accepted, by its number.
      CREATE TABLE risk.key_hits (key_sha256 bytea NOT NULL, number bigint NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (key_sha256, number));

      -- May this call go on? Exact: a call is refused when the per_second-th accepted call before it is less than a second old. That
      -- needs one look at one row, however large per_second is. The row lock on key_usage puts the calls of a key in one order, and
      -- the time is read after it, from the database's clock: all replicas share it. Refused calls are not counted.
      CREATE FUNCTION risk.admit(wanted bytea, wanted_surface text, counted boolean, at_time timestamptz DEFAULT NULL,
        OUT verdict text, OUT retry_after integer) LANGUAGE plpgsql AS $$
      DECLARE
        plan risk.api_keys; usage risk.key_usage; moment timestamptz; today date; gate timestamptz;
      BEGIN
        retry_after := 0;
        SELECT * INTO plan FROM risk.api_keys k WHERE k.key_sha256 = wanted AND k.surface = wanted_surface AND k.revoked_at IS NULL;
        IF NOT FOUND THEN verdict := 'invalid'; RETURN; END IF;
        IF plan.expires_at <= coalesce(at_time, clock_timestamp()) THEN verdict := 'expired'; RETURN; END IF;
        verdict := 'ok';
        IF NOT counted OR (plan.per_second IS NULL AND plan.per_day IS NULL) THEN RETURN; END IF;
        -- The lock is held until the commit is on disk, which caps a key at some 1,000 calls a second. A larger plan does not wait
        -- for the disk: should PostgreSQL itself crash, at most the last 0.6 seconds of that key's calls are forgotten.
        IF plan.per_second > 1000 THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;

        SELECT * INTO usage FROM risk.key_usage u WHERE u.key_sha256 = wanted FOR UPDATE;
        moment := coalesce(at_time, clock_timestamp());
        -- A clock set back a little stands still; one set back by more starts anew, or the key would be shut until it has caught up.
        IF usage.last_at > moment AND usage.last_at <= moment + interval '1 second' THEN moment := usage.last_at; END IF;
        today := (moment AT TIME ZONE 'UTC')::date;
        IF today <> usage.day THEN usage.accepted_today := 0; END IF;
        IF usage.accepted_today >= plan.per_day THEN
          verdict := 'day';
          retry_after := greatest(1, ceil(extract(epoch FROM ((today + 1)::timestamp AT TIME ZONE 'UTC') - moment)));
          RETURN;
        END IF;
        IF plan.per_second IS NOT NULL THEN
          SELECT h.at INTO gate FROM risk.key_hits h WHERE h.key_sha256 = wanted AND h.number = usage.accepted + 1 - plan.per_second;
          IF FOUND AND moment < gate + interval '1 second' AND gate <= moment + interval '1 second' THEN
            verdict := 'second';
            retry_after := greatest(1, ceil(extract(epoch FROM gate + interval '1 second' - moment)));
            RETURN;
          END IF;
          INSERT INTO risk.key_hits VALUES (wanted, usage.accepted + 1, moment);
          DELETE FROM risk.key_hits h WHERE h.key_sha256 = wanted AND h.number <= usage.accepted + 1 - plan.per_second;
        END IF;
        UPDATE risk.key_usage u
          SET accepted = usage.accepted + 1, day = today, accepted_today = usage.accepted_today + 1, last_at = moment
          WHERE u.key_sha256 = wanted;
      END $$;`,
  },
  {
    id: 'risk-api/0003-tasks',
    sql: `
      -- One computation of one score. What a task shows; several tasks may share it.
      CREATE TABLE risk.runs (
        id uuid PRIMARY KEY, chain text NOT NULL, kind text NOT NULL CHECK (kind IN ('address', 'txid')), subject text NOT NULL,
        direction text NOT NULL, state text NOT NULL DEFAULT 'running' CHECK (state IN ('running', 'done')),
        result jsonb, scanned_at timestamptz, created_at timestamptz NOT NULL, enqueued_at timestamptz NOT NULL, enqueued integer NOT NULL DEFAULT 1);
      CREATE UNIQUE INDEX runs_running ON risk.runs (chain, kind, subject, direction) WHERE state = 'running';
      CREATE INDEX runs_done ON risk.runs (chain, kind, subject, direction, scanned_at DESC) WHERE state = 'done';
      CREATE INDEX runs_waiting ON risk.runs (enqueued_at) WHERE state = 'running';
      CREATE INDEX runs_age ON risk.runs (created_at);
      -- A key's view of a run, under an id that cannot be guessed.
      CREATE TABLE risk.tasks (
        id text PRIMARY KEY, key_sha256 bytea NOT NULL, run_id uuid NOT NULL REFERENCES risk.runs, last_query_at timestamptz NOT NULL,
        UNIQUE (key_sha256, run_id));
      -- The score computed after since, else the run under way, else a new one. Whoever would start one looks again under a lock, in one
      -- statement: a run that ends meanwhile is then seen as done, and is not started a second time.
      CREATE FUNCTION risk.find_or_start(of_chain text, of_kind text, of_subject text, of_direction text, since timestamptz, new_id uuid, at_time timestamptz,
        OUT run_id uuid, OUT run_state text, OUT run_result jsonb, OUT run_scanned_at timestamptz, OUT started boolean) LANGUAGE plpgsql AS $$
      BEGIN
        started := false;
        FOR look IN 1..2 LOOP
          SELECT r.id, r.state, r.result, r.scanned_at INTO run_id, run_state, run_result, run_scanned_at FROM risk.runs r
            WHERE r.chain = of_chain AND r.kind = of_kind AND r.subject = of_subject AND r.direction = of_direction
              AND (r.state = 'running' OR r.state = 'done' AND r.scanned_at > since)
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
      CREATE INDEX tasks_run ON risk.tasks (run_id);
      CREATE INDEX tasks_age ON risk.tasks (last_query_at);`,
  },
  {
    id: 'risk-api/0004-edges',
    sql: `
      -- Everything of one address lies under (chain, address), so that a store can be cut into shards by a hash of it: each pair stands twice, once
      -- with each of its addresses, and a transfer lies with its sender and its receiver.
      -- Byte order everywhere: the same on every server, and the cheapest to compare.
      ALTER TABLE chain.labels ALTER chain TYPE text COLLATE "C", ALTER address TYPE text COLLATE "C", ALTER name TYPE text COLLATE "C",
        ALTER category TYPE text COLLATE "C", ALTER source TYPE text COLLATE "C";
      ALTER TABLE chain.transfers ALTER chain TYPE text COLLATE "C", ALTER txid TYPE text COLLATE "C", ALTER from_address TYPE text COLLATE "C",
        ALTER to_address TYPE text COLLATE "C", ALTER coin TYPE text COLLATE "C", ALTER source TYPE text COLLATE "C";
      -- A transfer is one by chain, txid, position, coin and addresses; an edge by chain, address, side and peer. As keys these are half of what a
      -- table takes, and what an import is slow by. Whoever writes holds the import's lock, looks for the row by a short index and compares it whole.
      ALTER TABLE chain.transfers DROP CONSTRAINT transfers_pkey;
      -- Whether it is in the sums below. A token outside the table of coins of which no value is known is not: anybody can make one, and have it say
      -- that it came from whomever.
      ALTER TABLE chain.transfers ADD COLUMN dealing boolean NOT NULL DEFAULT true;
      CREATE INDEX transfers_txid ON chain.transfers (hashtextextended(txid, 0));
      -- Sums of the dealings, kept in the transaction that writes them. Without nobodies, and without an address and itself.
      CREATE TABLE chain.edges (
        chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL,
        side smallint NOT NULL CHECK (side IN (0, 1)), -- 0: address received from peer; 1: it sent to peer
        peer text COLLATE "C" NOT NULL, peer_labelled boolean NOT NULL, -- whether chain.labels has any label of peer, of whatever time
        transfers bigint NOT NULL, unknown_transfers bigint NOT NULL, usd numeric NOT NULL);
      -- The sums of the edges of one side, so that a hub's whole is one row.
      CREATE TABLE chain.sides (
        chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, side smallint NOT NULL CHECK (side IN (0, 1)),
        peers bigint NOT NULL, transfers bigint NOT NULL, unknown_transfers bigint NOT NULL, usd numeric NOT NULL,
        PRIMARY KEY (address, chain, side)) WITH (fillfactor = 80);
      -- Sums by coin, nobodies' and one's own transfers and worthless tokens among them: what an address ever received and spent.
      CREATE TABLE chain.address_stats (
        chain text COLLATE "C" NOT NULL, address text COLLATE "C" NOT NULL, coin text COLLATE "C" NOT NULL,
        received_transfers bigint NOT NULL, spent_transfers bigint NOT NULL,
        received_amount numeric NOT NULL, spent_amount numeric NOT NULL, -- in coins; transfers of unknown amount add nothing
        received_usd numeric NOT NULL, spent_usd numeric NOT NULL, received_unknown bigint NOT NULL, spent_unknown bigint NOT NULL,
        first_at timestamptz NOT NULL, last_at timestamptz NOT NULL,
        PRIMARY KEY (address, chain, coin)) WITH (fillfactor = 80);
      INSERT INTO chain.edges
        SELECT chain, address, side, peer, EXISTS (SELECT FROM chain.labels l WHERE l.chain = e.chain AND l.address = e.peer), transfers, unknown_transfers, usd
        FROM (SELECT chain, to_address AS address, 0::smallint AS side, from_address AS peer, transfers, unknown_transfers, usd FROM chain.pairs
          UNION ALL SELECT chain, from_address, 1, to_address, transfers, unknown_transfers, usd FROM chain.pairs) e;
      DROP TABLE chain.pairs;
      INSERT INTO chain.sides
        SELECT chain, address, side, count(*), sum(transfers), sum(unknown_transfers), sum(usd) FROM chain.edges GROUP BY chain, address, side;
      INSERT INTO chain.address_stats
        SELECT chain, address, coin, sum(received), sum(1 - received), coalesce(sum(amount) FILTER (WHERE received = 1), 0),
          coalesce(sum(amount) FILTER (WHERE received = 0), 0), coalesce(sum(usd) FILTER (WHERE received = 1), 0),
          coalesce(sum(usd) FILTER (WHERE received = 0), 0), count(*) FILTER (WHERE received = 1 AND usd IS NULL),
          count(*) FILTER (WHERE received = 0 AND usd IS NULL), min(at), max(at)
        FROM (SELECT chain, to_address AS address, 1 AS received, coin, amount, usd, at FROM chain.transfers
          UNION ALL SELECT chain, from_address, 0, coin, amount, usd, at FROM chain.transfers) t
        GROUP BY chain, address, coin;
      -- In the order of the two below, so that what is written together is together in each: the beginning of an address tells nearly all apart.
      CREATE INDEX edges_peer ON chain.edges (left(address, 12), hashtextextended(peer, 0));
      -- All that a score reads of an edge, in the order it is read in: a hub of a million edges of equal volume costs no sort, and no look at the table.
      CREATE INDEX edges_labelled ON chain.edges (address, chain, side, usd DESC, transfers DESC, peer) INCLUDE (unknown_transfers) WHERE peer_labelled;
      CREATE INDEX edges_others ON chain.edges (address, chain, side, usd DESC, transfers DESC, peer) INCLUDE (unknown_transfers) WHERE NOT peer_labelled;
      -- Without the txid, which is half of the size: the few transfers of one moment are sorted.
      CREATE INDEX transfers_from ON chain.transfers (from_address, chain, coin, at DESC);
      CREATE INDEX transfers_to ON chain.transfers (to_address, chain, coin, at DESC);
      -- One import of one source: how far it came. A record is a line, an element or a log, counted from 1.
      CREATE TABLE chain.import_runs (
        key text PRIMARY KEY, kind text NOT NULL CHECK (kind IN ('labels', 'transfers')), name text NOT NULL,
        records bigint NOT NULL, inserted bigint NOT NULL, unchanged bigint NOT NULL, rejected bigint NOT NULL,
        started_at timestamptz NOT NULL, updated_at timestamptz NOT NULL, finished_at timestamptz);
      DELETE FROM risk.tasks;
      DELETE FROM risk.runs;`,
  },
  operationsMigration,
  reportKeysMigration,
  paymentsMigration,
  changesMigration,
  labelMomentsMigration,
  ...chainDataMigrations,
  transferChangesMigration,
  sanctionsChangesMigration,
  pricesMigration,
];
