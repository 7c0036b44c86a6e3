import type { Migration } from '@weir/postgres';

/** The ledger of payments: one row for each authorization that has paid for something, or is about to. */
export const paymentsMigration: Migration = {
  id: 'risk-api/0011-payments',
  sql: `
    CREATE TABLE risk.payments (
      id uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(),
      -- What may be spent once: the payer's nonce on an EVM chain, the hash of the signed message on Solana.
      network text NOT NULL, payer text NOT NULL, authorization_key text NOT NULL,
      signed_sha256 bytea NOT NULL,              -- of the signed payload, signature included: a repeat is the same payment or is none
      payment jsonb NOT NULL, requirements jsonb NOT NULL, -- what settles it, now or later
      payment_identifier text,                   -- of the extension, for as long as it stands for this payment
      operation text NOT NULL, resource text NOT NULL, request_sha256 bytea NOT NULL,
      amount numeric NOT NULL CHECK (amount > 0), asset text NOT NULL, pay_to text NOT NULL,
      -- claimed: nothing sent for settlement. settling: sent, or about to be. unknown: sent, and nobody knows what came of it.
      state text NOT NULL DEFAULT 'claimed' CHECK (state IN ('claimed', 'settling', 'unknown', 'settled', 'refused')),
      reason text,                               -- a code of ours, for refused and unknown
      transaction text, settled_at timestamptz,
      answer text,                               -- what was paid for; kept for a time after it is settled
      task_id text, task jsonb,                  -- the address at which a task is polled, and what it scores
      holder uuid, lease_until timestamptz NOT NULL DEFAULT '-infinity', -- the process that works on it, for as long as it says so
      attempts integer NOT NULL DEFAULT 0, next_try_at timestamptz NOT NULL DEFAULT now(),
      UNIQUE (network, payer, authorization_key),
      CHECK (state <> 'settled' OR (transaction IS NOT NULL AND settled_at IS NOT NULL)),
      CHECK (state NOT IN ('settling', 'unknown') OR answer IS NOT NULL));
    CREATE UNIQUE INDEX payments_identifier ON risk.payments (payer, payment_identifier) WHERE payment_identifier IS NOT NULL;
    CREATE UNIQUE INDEX payments_task ON risk.payments (task_id) WHERE task_id IS NOT NULL;
    CREATE INDEX payments_open ON risk.payments (next_try_at) WHERE state IN ('settling', 'unknown');
    CREATE INDEX payments_claimed ON risk.payments (lease_until) WHERE state = 'claimed';
    CREATE INDEX payments_kept ON risk.payments (settled_at) WHERE answer IS NOT NULL AND state = 'settled';
    CREATE INDEX payments_time ON risk.payments (created_at, id);`,
};
