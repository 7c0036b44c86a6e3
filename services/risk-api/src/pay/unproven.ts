import { Counter, Gauge, type Registry } from 'prom-client';
import { Failure } from '../failure.ts';

export interface UnprovenLimits {
  /** In this process. */
  readonly most: number;
  /** From one client address, or by one payer who has settled before. */
  readonly perClient: number;
}

/** Whose payment it is. A payer counts as settled only where this payment bears the payer's own signature. */
export type Sender =
  | { readonly kind: 'settled'; readonly payer: string }
  /** Without `isSigned` only a chain can check the signature. */
  | { readonly kind: 'newcomer'; readonly client: string; readonly isSigned: boolean };

type Limit = 'client' | 'payer' | 'pool';

/** A part of the pool for signatures that only a chain can check, since anybody can make them up. */
const unsignedPart = 5;
/** A part of the pool for payers who have settled before: wallets that never paid cost nothing, in any number. */
const settledPart = 2;

/**
 * Payments that are not proven yet: neither verified nor found in the ledger. They cost their sender nothing, so they have a pool of their own
 * and cannot take the places of those that are proven. Newcomers cannot take the places of payers who have settled before.
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

  /** A place in the pool, until the function it returns is called, once or more. Fails with a `Failure` when there is none. */
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
