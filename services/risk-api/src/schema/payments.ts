/** The payment ledger: one row for each authorization that has paid, or is about to. */
export const payments = `
  CREATE TABLE risk.payments (
    id uuid PRIMARY KEY, created_at timestamptz NOT NULL DEFAULT now(),
    -- Spendable once: the payer's nonce on an EVM chain, the hash of the signed message on Solana.
    network text NOT NULL, payer text NOT NULL, authorization_key text NOT NULL,
    signed_sha256 bytea NOT NULL,              -- of the signed payload with its signature: a repeat must be the same payment
    payment jsonb NOT NULL, requirements jsonb NOT NULL, -- input of the settlement
    payment_identifier text,                   -- of the extension, as long as it names this payment
    operation text NOT NULL, resource text NOT NULL, request_sha256 bytea NOT NULL,
    amount numeric NOT NULL CHECK (amount > 0), asset text NOT NULL, pay_to text NOT NULL,
    -- claimed: nothing sent for settlement. settling: sent, or about to be. unknown: sent, outcome unknown.
    state text NOT NULL DEFAULT 'claimed' CHECK (state IN ('claimed', 'settling', 'unknown', 'settled', 'refused')),
    reason text,                               -- reason code of refused and unknown
    transaction text, settled_at timestamptz,
    answer text,                               -- the paid answer; kept for a time after settlement
    task_id text, task jsonb,                  -- id for polling the task, and its subject
    holder uuid, lease_until timestamptz NOT NULL DEFAULT '-infinity', -- the process that works on it, while its lease lasts
    attempts integer NOT NULL DEFAULT 0, next_try_at timestamptz NOT NULL DEFAULT now(),
    UNIQUE (network, payer, authorization_key),
    CHECK (state <> 'settled' OR (transaction IS NOT NULL AND settled_at IS NOT NULL)),
    CHECK (state NOT IN ('settling', 'unknown') OR answer IS NOT NULL));
  CREATE UNIQUE INDEX payments_identifier ON risk.payments (payer, payment_identifier) WHERE payment_identifier IS NOT NULL;
  CREATE UNIQUE INDEX payments_task ON risk.payments (task_id) WHERE task_id IS NOT NULL;
  CREATE INDEX payments_open ON risk.payments (next_try_at) WHERE state IN ('settling', 'unknown');
  CREATE INDEX payments_claimed ON risk.payments (lease_until) WHERE state = 'claimed';
  CREATE INDEX payments_kept ON risk.payments (settled_at) WHERE answer IS NOT NULL AND state = 'settled';
  CREATE INDEX payments_time ON risk.payments (created_at, id);
`;
