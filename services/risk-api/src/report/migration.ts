import type { Migration } from '@weir/postgres';

/** The keys that sign reports' addresses, shared by all replicas. The newest signs; older ones verify what they have signed. */
export const reportKeysMigration: Migration = {
  id: 'risk-api/0010-report-keys',
  sql: `
    CREATE TABLE risk.report_keys (
      id text PRIMARY KEY, secret bytea NOT NULL CHECK (octet_length(secret) = 32), created_at timestamptz NOT NULL);`,
};
