import type { Migration } from '@weir/postgres';

/**
 * The delivery log: one row for each decision that a receiver is told of, and what came of it. Times are the clock's of the process that
 * writes them: replicas that disagree send a repeat that much earlier or later, and nothing else.
 */
export const webhookMigrations: readonly Migration[] = [
  {
    id: 'console/0003-webhooks',
    sql: `
      CREATE TABLE console.deliveries (
        -- Of the decision; the webhook's id.
        event_id uuid PRIMARY KEY,
        screening_id uuid NOT NULL,
        revision integer NOT NULL,
        -- As it was first stored: each attempt sends these bytes.
        body bytea NOT NULL,
        state text NOT NULL CHECK (state IN ('pending', 'delivered', 'failed')),
        attempts integer NOT NULL DEFAULT 0,
        created_at timestamptz NOT NULL,
        -- Since when it is pending: a person may ask for it again.
        queued_at timestamptz NOT NULL,
        next_at timestamptz NOT NULL,
        -- Whose session sends it now.
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
      -- Receivers that want no more (410), by their address, which may hold a secret.
      CREATE TABLE console.webhooks_gone (
        url_sha256 bytea PRIMARY KEY,
        gone_at timestamptz NOT NULL);`,
  },
];
