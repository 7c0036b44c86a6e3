import type { Queryable } from '@weir/postgres';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { Subject } from '../subject.ts';
import type { Payment } from './payment.ts';

/** States of a payment. claimed: nothing sent for settlement. settling: sent, or about to be. unknown: sent, outcome unknown. */
export type PaymentState = 'claimed' | 'settling' | 'unknown' | 'settled' | 'refused';

export interface StoredPayment extends Record<string, unknown> {
  readonly id: string;
  readonly created_at: Date;
  readonly network: string;
  readonly payer: string;
  readonly authorization_key: string;
  readonly payment_identifier: string | null;
  readonly signed_sha256: Buffer;
  readonly payment: PaymentPayload;
  readonly requirements: PaymentRequirements;
  readonly operation: string;
  readonly resource: string;
  readonly request_sha256: Buffer;
  readonly state: PaymentState;
  readonly reason: string | null;
  readonly transaction: string | null;
  readonly answer: string | null;
  readonly task_id: string | null;
  readonly task: Subject | null;
  readonly attempts: number;
  readonly held: boolean;
}

export interface Bought {
  readonly operation: string;
  readonly resource: string;
  readonly digest: Buffer;
}

export interface PaidAnswer {
  readonly body: string;
  readonly task?: { readonly id: string; readonly subject: Subject };
}

const columns = `id, created_at, network, payer, authorization_key, payment_identifier, signed_sha256, payment, requirements, operation, resource,
  request_sha256, state, reason, transaction, answer, task_id, task, attempts, lease_until > now() AS held`;

/** Times come from the database, so that replicas agree. */
export class Ledger {
  readonly #db: Queryable;
  readonly #leaseMs: number;

  constructor(db: Queryable, leaseMs: number) {
    this.#db = db;
    this.#leaseMs = leaseMs;
  }

  /** The row of the authorization. Else, for a payer who has proven the identity, the row with the payment identifier. */
  async find({ network, payer, key, identifier }: Payment, byIdentifier: boolean): Promise<StoredPayment | undefined> {
    const { rows } = await this.#db.query<StoredPayment>(
      `SELECT ${columns} FROM risk.payments
       WHERE (network = $1 AND payer = $2 AND authorization_key = $3) OR ($4::text IS NOT NULL AND payer = $2 AND payment_identifier = $4)
       ORDER BY (network = $1 AND authorization_key = $3) DESC LIMIT 1`,
      [network, payer, key, byIdentifier ? (identifier ?? null) : null],
    );
    return rows[0];
  }

  /** True also for a payment that was sent before. */
  async hasSettled({ network, payer, key }: Payment): Promise<boolean> {
    const { rows } = await this.#db.query<{ has_settled: boolean }>(
      `SELECT EXISTS (SELECT FROM risk.payments WHERE network = $1 AND payer = $2 AND (state = 'settled' OR authorization_key = $3)) AS has_settled`,
      [network, payer, key],
    );
    return rows[0]?.has_settled === true;
  }

  /** Undefined when the authorization or the identifier already has a row. */
  async claim(id: string, holder: string, payment: Payment, bought: Bought): Promise<StoredPayment | undefined> {
    const { network, payer, key, signedSha256, payload, requirements, identifier } = payment;
    const { amount, asset, payTo } = requirements;
    const { rows } = await this.#db.query<StoredPayment>(
      `INSERT INTO risk.payments (id, holder, lease_until, network, payer, authorization_key, signed_sha256, payment, requirements, payment_identifier,
         operation, resource, request_sha256, amount, asset, pay_to)
       VALUES ($1, $2, now() + $3 * interval '1 millisecond', $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
       ON CONFLICT DO NOTHING RETURNING ${columns}`,
      [id, holder, this.#leaseMs, network, payer, key, signedSha256, payload, requirements, identifier ?? null].concat([
        bought.operation,
        bought.resource,
        bought.digest,
        amount,
        asset,
        payTo,
      ] as never[]),
    );
    return rows[0];
  }

  /**
   * Leases a row. Undefined when another lease is valid, when the last attempt is less than `pauseMs` ago, or when the payment has ended.
   */
  async take(id: string, holder: string, pauseMs: number): Promise<StoredPayment | undefined> {
    const { rows } = await this.#db.query<StoredPayment>(
      `UPDATE risk.payments SET holder = $2, lease_until = now() + $3 * interval '1 millisecond'
       WHERE id = $1 AND state IN ('claimed', 'settling', 'unknown') AND lease_until + (CASE state WHEN 'unknown' THEN $4 ELSE 0 END) * interval '1 millisecond' <= now()
       RETURNING ${columns}`,
      [id, holder, this.#leaseMs, pauseMs],
    );
    return rows[0];
  }

  async stay(id: string, holder: string): Promise<void> {
    await this.#db.query(
      `UPDATE risk.payments SET lease_until = now() + $3 * interval '1 millisecond' WHERE id = $1 AND holder = $2 AND lease_until > now()`,
      [id, holder, this.#leaseMs],
    );
  }

  /** Deletes a claim that was never charged. The authorization can then be used again. */
  async release(id: string, holder: string): Promise<void> {
    await this.#db.query(`DELETE FROM risk.payments WHERE id = $1 AND holder = $2 AND state IN ('claimed', 'settling') AND attempts <= 1`, [
      id,
      holder,
    ]);
  }

  /** Stores the delivery before settlement. False when the lease is lost. */
  async settlements(id: string, holder: string, { body, task }: PaidAnswer): Promise<boolean> {
    const { rowCount } = await this.#db.query(
      `UPDATE risk.payments SET state = 'settling', answer = $3, task_id = $4, task = $5, attempts = 1, lease_until = now() + $6 * interval '1 millisecond'
       WHERE id = $1 AND holder = $2 AND state = 'claimed'`,
      [id, holder, body, task?.id ?? null, task?.subject ?? null, this.#leaseMs],
    );
    return rowCount === 1;
  }

  /** The state is final: a later holder cannot change it. */
  async settled(id: string, transaction: string): Promise<StoredPayment | undefined> {
    const { rows } = await this.#db.query<StoredPayment>(
      `UPDATE risk.payments SET state = 'settled', transaction = coalesce(CASE state WHEN 'settled' THEN transaction END, $2), settled_at = coalesce(settled_at, now()),
         reason = NULL, holder = NULL, lease_until = '-infinity'
       WHERE id = $1 AND state <> 'refused' RETURNING ${columns}`,
      [id, transaction],
    );
    return rows[0];
  }

  /** Drops the answer and frees the identifier. False when the lease is lost. */
  async refused(id: string, holder: string, reason: string): Promise<boolean> {
    const { rowCount } = await this.#db.query(
      `UPDATE risk.payments SET state = 'refused', reason = $3, answer = NULL, task_id = NULL, task = NULL, payment_identifier = NULL, holder = NULL, lease_until = '-infinity'
       WHERE id = $1 AND holder = $2 AND state IN ('settling', 'unknown')`,
      [id, holder, reason],
    );
    return rowCount === 1;
  }

  /** The next attempt is due in `pauseMs`. */
  async unknown(id: string, holder: string, reason: string, options: { transaction: string | undefined; pauseMs: number }): Promise<void> {
    await this.#db.query(
      `UPDATE risk.payments SET state = 'unknown', reason = $3, transaction = coalesce($4, transaction), attempts = attempts + 1,
         next_try_at = now() + $5 * interval '1 millisecond', holder = NULL, lease_until = now()
       WHERE id = $1 AND holder = $2 AND state IN ('settling', 'unknown')`,
      [id, holder, reason, options.transaction ?? null, options.pauseMs],
    );
  }
}
