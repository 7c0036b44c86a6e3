import type { Migration } from './migrate.ts';

export const sessionMigrations: readonly Migration[] = [
  {
    id: 'session/0001-initial',
    sql: `
      CREATE TABLE weir.sessions (
        owner text PRIMARY KEY,
        pid integer NOT NULL,
        -- Null if PostgreSQL hides the backend's start: only the same user or its members see it.
        started timestamptz,
        heartbeat_at timestamptz NOT NULL DEFAULT now());
      -- Alive: the backend exists and its process has not hung. Without a start time, the pid and a fresh heartbeat suffice.
      CREATE FUNCTION weir.session_alive(wanted text) RETURNS boolean LANGUAGE sql STABLE AS $$
        SELECT EXISTS (
          SELECT FROM weir.sessions s JOIN pg_stat_activity a ON a.pid = s.pid AND coalesce(a.backend_start = s.started, true)
          WHERE s.owner = wanted AND s.heartbeat_at > clock_timestamp() - interval '10 seconds')
      $$;`,
  },
];
