import { Counter, Gauge, type Registry } from 'prom-client';
import { Failure } from '../failure.ts';

export interface UnprovenLimits {
  /** In this process. */
  readonly most: number;
  /** From one client address. */
  readonly perClient: number;
}

/** A part of the pool for signatures that only a chain can check, since anybody can make them up. */
const unsignedPart = 5;

/**
 * Payments that are not proven yet: neither verified nor found in the ledger. They cost their sender nothing, so they have a pool of their own
 * and cannot take the places of those that are proven.
 */
export class UnprovenPayments {
  readonly #limits: UnprovenLimits;
  readonly #refused: Counter<'limit'>;
  readonly #held: Gauge;
  readonly #byClient = new Map<string, number>();
  #inPool = 0;
  #unsigned = 0;

  constructor(limits: UnprovenLimits, registry: Registry) {
    this.#limits = limits;
    this.#refused = new Counter({
      name: 'weir_payments_unproven_refused_total',
      help: 'Payments turned away before they were looked at, by the limit that was reached: client (429), pool (503)',
      labelNames: ['limit'] as const,
      registers: [registry],
    });
    this.#held = new Gauge({
      name: 'weir_payments_unproven',
      help: 'Payments that are neither verified nor known yet',
      registers: [registry],
    });
  }

  /** A place in the pool, until the function it returns is called, once or more. Fails with a `Failure` when there is none. */
  enter(client: string, isSigned: boolean): () => void {
    const { most, perClient } = this.#limits;
    const own = this.#byClient.get(client) ?? 0;
    if (own >= perClient) throw this.#refuse('client');
    if (this.#inPool >= most || (!isSigned && this.#unsigned >= Math.ceil(most / unsignedPart))) throw this.#refuse('pool');
    this.#move(client, isSigned, 1);
    let isIn = true;
    return () => {
      if (isIn) this.#move(client, isSigned, -1);
      isIn = false;
    };
  }

  #refuse(limit: 'client' | 'pool'): Failure {
    this.#refused.inc({ limit });
    return new Failure(limit === 'client' ? 'ExceededRateLimit' : 'ServiceUnavailable', 1);
  }

  #move(client: string, isSigned: boolean, by: 1 | -1): void {
    const own = (this.#byClient.get(client) ?? 0) + by;
    if (own === 0) this.#byClient.delete(client);
    else this.#byClient.set(client, own);
    this.#inPool += by;
    this.#held.set(this.#inPool);
    if (!isSigned) this.#unsigned += by;
  }
}
