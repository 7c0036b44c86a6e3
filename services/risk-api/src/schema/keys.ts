export const keys = `
  CREATE SCHEMA risk;
  CREATE TABLE risk.api_keys (
    key_sha256 bytea PRIMARY KEY, surface text NOT NULL CHECK (surface IN ('standard', 'sandbox')), name text NOT NULL,
    per_second integer CHECK (per_second > 0), per_day integer CHECK (per_day > 0),
    expires_at timestamptz, revoked_at timestamptz, created_at timestamptz NOT NULL DEFAULT now());
  -- One row per key, updated on every counted call: free space in the page makes that a HOT update.
  CREATE TABLE risk.key_usage (
    key_sha256 bytea PRIMARY KEY REFERENCES risk.api_keys ON DELETE CASCADE,
    accepted bigint NOT NULL DEFAULT 0, day date NOT NULL DEFAULT '2000-01-01', accepted_today integer NOT NULL DEFAULT 0,
    last_at timestamptz NOT NULL DEFAULT '-infinity') WITH (fillfactor = 20);
  -- Acceptance time of each of a key's last per_second calls, by number.
  CREATE TABLE risk.key_hits (key_sha256 bytea NOT NULL, number bigint NOT NULL, at timestamptz NOT NULL, PRIMARY KEY (key_sha256, number));

  -- Rate limit of a key, exact: refuses a call if the per_second-th accepted call before it is less than a second old. That takes one
  -- row, however large per_second is. The row lock on key_usage orders a key's calls; the time is read after it, from the database's
  -- clock, which all replicas share. Refused calls are not counted.
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
    -- The lock lasts until the commit is on disk, which caps a key at some 1,000 calls a second. Larger plans commit asynchronously: a
    -- crash of PostgreSQL loses at most the last 0.6 seconds of the key's calls.
    IF plan.per_second > 1000 THEN PERFORM set_config('synchronous_commit', 'off', true); END IF;

    SELECT * INTO usage FROM risk.key_usage u WHERE u.key_sha256 = wanted FOR UPDATE;
    moment := coalesce(at_time, clock_timestamp());
    -- A clock set back by up to a second stands still; by more, it starts anew: otherwise the key would be shut until the clock catches up.
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
  END $$;
`;

/** Keys that sign report URLs, shared by all replicas. The newest signs; older ones verify. */
export const reportKeys = `
  CREATE TABLE risk.report_keys (
    id text PRIMARY KEY, secret bytea NOT NULL CHECK (octet_length(secret) = 32), created_at timestamptz NOT NULL);
`;
