import { backoff, type Clock, repeat } from '@weir/clock';
import type { Logger } from '@weir/service-kit';
import type { Network, SettleResponse } from '@x402/core/types';
import { Failure } from '../failure.ts';
import type { Subject } from '../subject.ts';
import type { Facilitator, Settlement } from './facilitator.ts';
import type { Ledger, StoredPayment } from './ledger.ts';
import type { PaymentMetrics } from './metrics.ts';
import type { ReadChainStatus } from './chain-status.ts';

/** The result. `task` starts only after the payment has settled. */
export interface Produced {
  readonly body: object;
  readonly task?: Subject;
}

export type SettlementResult =
  | Pick<StoredPayment, 'state' | 'reason' | 'network' | 'payer' | 'transaction' | 'answer' | 'task_id'>
  | 'pending';

export interface SettlementsOptions {
  readonly ledger: Ledger;
  readonly facilitator: Facilitator;
  readonly chainStatus: ReadChainStatus;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: PaymentMetrics;
  readonly leaseMs: number;
  readonly newTaskId: () => string;
  /** Starts the task of a settled payment. Left out: polling starts it. */
  readonly start?: (taskId: string, subject: Subject) => Promise<unknown>;
}

const longestPauseMs = 3_600_000;

export class Settlements {
  readonly #parts: SettlementsOptions;

  constructor(parts: SettlementsOptions) {
    this.#parts = parts;
  }

  /** An error of `produce` releases the claim uncharged and is passed on. */
  async first(row: StoredPayment, holder: string, produce: () => Promise<Produced>): Promise<SettlementResult> {
    const { ledger, newTaskId } = this.#parts;
    return this.#held(row, holder, async () => {
      let produced: Produced;
      try {
        produced = await produce();
      } catch (error) {
        await ledger.release(row.id, holder);
        this.#count(row, 'released');
        throw error;
      }
      const task = produced.task === undefined ? {} : { task: { id: newTaskId(), subject: produced.task } };
      if (!(await ledger.settlements(row.id, holder, { body: JSON.stringify(produced.body), ...task })))
        throw new Failure('PaymentInProgress', 1);
      const settlement = await this.#settle(row);
      if (settlement.is === 'refused') return this.#refuse(row, holder, settlement.error);
      if (settlement.is !== 'unsent') return this.#conclude(row, holder, settlement);
      await ledger.release(row.id, holder);
      this.#count(row, 'released');
      throw new Failure('ServiceUnavailable', 5);
    });
  }

  /**
   * Retries a payment that was sent before. Only a settlement or the chain ends it. A refusal proves nothing, because the first settlement
   * may have caused it.
   */
  async again(row: StoredPayment, holder: string): Promise<SettlementResult> {
    return this.#held(row, holder, async () => {
      const chainStatus = await this.#parts.chainStatus(row);
      if (chainStatus.is === 'paid') return this.#finish(row, chainStatus.transaction);
      if (chainStatus.is === 'never') return this.#refuse(row, holder, 'payment_refused');
      return this.#conclude(row, holder, await this.#settle(row));
    });
  }

  async #conclude(row: StoredPayment, holder: string, settlement: Settlement): Promise<SettlementResult> {
    if (settlement.is === 'settled') return this.#finish(row, settlement.transaction);
    const transaction = settlement.is === 'unclear' ? settlement.transaction : undefined;
    const chainStatus = await this.#parts.chainStatus(transaction === undefined ? row : { ...row, transaction });
    if (chainStatus.is === 'paid') return this.#finish(row, chainStatus.transaction);
    if (chainStatus.is === 'never') return this.#refuse(row, holder, 'payment_refused');
    const reason = settlement.is === 'unclear' ? settlement.reason : settlement.is === 'refused' ? settlement.error : 'no_answer';
    const pauseMs = backoff(row.attempts + 1, { firstMs: 1_000, longestMs: longestPauseMs });
    await this.#parts.ledger.unknown(row.id, holder, reason, { transaction, pauseMs });
    if (row.state === 'claimed') this.#count(row, 'unknown');
    return 'pending';
  }

  #settle({ payment, requirements }: StoredPayment): Promise<Settlement> {
    return this.#parts.metrics.timed('settle', () => this.#parts.facilitator.settle(payment, requirements));
  }

  async #finish(row: StoredPayment, transaction: string): Promise<SettlementResult> {
    const { ledger, start, logger } = this.#parts;
    const settled = await ledger.settled(row.id, transaction);
    if (settled === undefined) {
      logger.error({ payment_id: row.id }, 'a payment was charged that had been taken for refused; its answer is gone');
      return 'pending';
    }
    this.#count(row, 'settled');
    if (settled.task !== null && settled.task_id !== null) {
      // If this fails, polling starts the task.
      await start?.(settled.task_id, settled.task).catch((error: unknown) =>
        logger.warn({ err: error }, 'a paid task could not be started; polling starts it'),
      );
    }
    return settled;
  }

  async #refuse(row: StoredPayment, holder: string, reason: string): Promise<SettlementResult> {
    // Another owner may have settled it, which can cause this refusal.
    if (!(await this.#parts.ledger.refused(row.id, holder, reason))) return 'pending';
    this.#count(row, 'refused');
    return { ...row, state: 'refused', reason, answer: null, task_id: null };
  }

  async #held<T>(row: StoredPayment, holder: string, work: () => Promise<T>): Promise<T> {
    const { ledger, clock, logger, leaseMs } = this.#parts;
    const done = new AbortController();
    const every = leaseMs / 3;
    const onError = (error: unknown): void => logger.warn({ err: error }, 'a payment may be taken over');
    const staying = repeat({ clock, every, firstAfter: every, signal: done.signal, onError }, async () => {
      await ledger.stay(row.id, holder);
    });
    try {
      return await work();
    } finally {
      done.abort();
      await staying;
    }
  }

  #count({ operation, network }: StoredPayment, outcome: 'settled' | 'refused' | 'unknown' | 'released'): void {
    this.#parts.metrics.payments.inc({ operation, network, outcome });
  }
}

export function receiptOf({ state, network, payer, transaction, reason }: Exclude<SettlementResult, 'pending'>): SettleResponse {
  const own = { network: network as Network, payer, transaction: state === 'settled' ? (transaction ?? '') : '' };
  return state === 'settled' ? { success: true, ...own } : { success: false, errorReason: reason ?? 'payment_refused', ...own };
}
