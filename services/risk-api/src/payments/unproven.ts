import { Counter, Gauge, type Registry } from 'prom-client';
import { Failure } from '../failure.ts';

export interface UnprovenLimits {
  readonly most: number;
  /** Also the limit of one payer who has settled before. */
  readonly perClient: number;
}

/** `settled` needs the payer's own signature on this payment. */
export type Sender =
  | { readonly kind: 'settled'; readonly payer: string }
  /** Without `isSigned` only a chain can check the signature. */
  | { readonly kind: 'newcomer'; readonly client: string; readonly isSigned: boolean };

type Limit = 'client' | 'payer' | 'pool';

/** Share (1/n) of the pool for signatures that only a chain can check: anybody can forge them. */
const unsignedPart = 5;
/** Share (1/n) of the pool for payers who have settled before: unfunded wallets cost nothing, in any number. */
const settledPart = 2;

/**
 * Payments neither verified nor in the ledger. They cost their sender nothing, so they have their own pool, apart from proven ones.
 * Newcomers cannot displace payers who have settled before.
 */
export class UnprovenPayments {
  readonly #perSender: number;
  readonly #most: Readonly<Record<'settled' | 'newcomer' | 'unsigned', number>>;
  readonly #refused: Counter<'limit'>;
  readonly #held: Gauge<'sender'>;
  readonly #bySender = new Map<string, number>();
  readonly #inPool = { settled: 0, newcomer: 0, unsigned: 0 };

  constructor({ most, perClient }: UnprovenLimits, registry: Registry) {
    const settled = Math.floor(most / settledPart);
    this.#perSender = perClient;
    this.#most = { settled, newcomer: most - settled, unsigned: Math.ceil(most / unsignedPart) };
    this.#refused = new Counter({
      name: 'weir_payments_unproven_refused_total',
      help: 'Payments refused before they were verified, by the limit that was reached: client or payer (429), pool (503)',
      labelNames: ['limit'] as const,
      registers: [registry],
    });
    this.#held = new Gauge({
      name: 'weir_payments_unproven',
      help: 'Payments that are neither verified nor known yet, by whether their payer has settled before',
      labelNames: ['sender'] as const,
      registers: [registry],
    });
  }

  /** Takes a place in the pool. The returned function frees it, and may be called again. Fails with a `Failure` when none is left. */
  enter(sender: Sender): () => void {
    const isUnsigned = sender.kind === 'newcomer' && !sender.isSigned;
    const name = sender.kind === 'settled' ? `payer ${sender.payer}` : `client ${sender.client}`;
    if ((this.#bySender.get(name) ?? 0) >= this.#perSender) throw this.#refuse(sender.kind === 'settled' ? 'payer' : 'client');
    const isFull = this.#inPool[sender.kind] >= this.#most[sender.kind];
    if (isFull || (isUnsigned && this.#inPool.unsigned >= this.#most.unsigned)) throw this.#refuse('pool');
    const move = (by: 1 | -1): void => {
      const own = (this.#bySender.get(name) ?? 0) + by;
      if (own === 0) this.#bySender.delete(name);
      else this.#bySender.set(name, own);
      this.#inPool[sender.kind] += by;
      if (isUnsigned) this.#inPool.unsigned += by;
      this.#held.set({ sender: sender.kind }, this.#inPool[sender.kind]);
    };
    move(1);
    let isIn = true;
    return () => {
      if (isIn) move(-1);
      isIn = false;
    };
  }

  #refuse(limit: Limit): Failure {
    this.#refused.inc({ limit });
    return new Failure(limit === 'pool' ? 'ServiceUnavailable' : 'ExceededRateLimit', 1);
  }
}
