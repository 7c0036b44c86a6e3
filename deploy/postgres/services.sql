-- Runs at each `up` as the superuser. Each service has its own role; `weir migrate` grants the privileges.
CREATE TEMP TABLE services AS
  SELECT service, 'weir_' || replace(service, '-', '_') AS role
  FROM unnest('{deposit-ingest,withdrawal-gate,scoring,decision,audit-writer,console,risk-api,chain-follower}'::text[]) AS service;
SELECT format('CREATE ROLE %I', role) FROM services WHERE role NOT IN (SELECT rolname FROM pg_roles) \gexec
SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', role, pg_read_file('/secrets/postgres/' || service)) FROM services \gexec

-- Copies the database and streams its WAL, and writes nothing but its runs.
SELECT 'CREATE ROLE weir_backup' WHERE 'weir_backup' NOT IN (SELECT rolname FROM pg_roles) \gexec
SELECT format('ALTER ROLE weir_backup LOGIN REPLICATION PASSWORD %L', pg_read_file('/secrets/postgres/backup')) \gexec
GRANT CONNECT ON DATABASE weir TO weir_backup;
\connect weir
-- Its runs are a job of the owner, whose rows the role may not write. `weir migrate` makes the table afterwards.
CREATE SCHEMA IF NOT EXISTS backup AUTHORIZATION weir;
CREATE OR REPLACE FUNCTION backup.began(every_hours integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  INSERT INTO weir.jobs AS j (service, name, every_ms, started_at, trying_since)
  VALUES ('weir', 'backup', every_hours * 3600000.0, clock_timestamp(), clock_timestamp())
  ON CONFLICT (service, name) DO UPDATE SET every_ms = excluded.every_ms, started_at = excluded.started_at,
    trying_since = coalesce(j.trying_since, excluded.trying_since);
END $$;
-- `problem` is null after a success.
CREATE OR REPLACE FUNCTION backup.ended(problem text) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE weir.jobs SET finished_at = clock_timestamp(), took_ms = extract(epoch FROM clock_timestamp() - started_at) * 1000,
    failure = left(problem, 300),
    succeeded_at = CASE WHEN problem IS NULL THEN clock_timestamp() ELSE succeeded_at END,
    trying_since = CASE WHEN problem IS NOT NULL THEN trying_since END,
    next_at = clock_timestamp() + CASE WHEN problem IS NULL THEN every_ms * interval '1 millisecond' ELSE interval '15 minutes' END
  WHERE service = 'weir' AND name = 'backup';
END $$;
ALTER FUNCTION backup.began(integer) OWNER TO weir;
ALTER FUNCTION backup.ended(text) OWNER TO weir;
REVOKE ALL ON FUNCTION backup.began(integer), backup.ended(text) FROM PUBLIC;
GRANT USAGE ON SCHEMA backup TO weir_backup;
GRANT EXECUTE ON FUNCTION backup.began(integer), backup.ended(text) TO weir_backup;
