-- Runs at each `up` as the superuser. Each service has its own role; `weir migrate` grants the privileges.
CREATE TEMP TABLE services AS
  SELECT service, 'weir_' || replace(service, '-', '_') AS role
  FROM unnest('{deposit-ingest,withdrawal-gate,scoring,decision,audit-writer,console,risk-api,chain-follower}'::text[]) AS service;
SELECT format('CREATE ROLE %I', role) FROM services WHERE role NOT IN (SELECT rolname FROM pg_roles) \gexec
SELECT format('ALTER ROLE %I LOGIN PASSWORD %L', role, pg_read_file('/secrets/postgres/' || service)) FROM services \gexec
