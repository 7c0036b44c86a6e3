import { requireSuitable } from '@weir/redis';
import type { Redis } from 'ioredis';
import type { Lease } from './lease.ts';
import type { Need, Seen } from './lease.ts';
import type { BudgetScript } from './script.ts';

/** Carries counts from PostgreSQL's row into the state of Redis. */
export class Reservations {
  readonly #redis: Redis;
  readonly #script: BudgetScript;
  readonly #lease: Lease;
  #ahead: Promise<unknown> | undefined;

  constructor(redis: Redis, script: BudgetScript, lease: Lease) {
    this.#redis = redis;
    this.#script = script;
    this.#lease = lease;
  }

  /** False if another server has the lease. */
  async reserve(need: Need): Promise<boolean> {
    const reserved = await this.#lease.reserve(need);
    if (reserved !== undefined) await this.#script.extend(need, reserved);
    return reserved !== undefined;
  }

  reserveAhead(need: Need): void {
    // The take that depends on it retries, and reports the error.
    this.#ahead ??= this.reserve(need)
      .catch(() => undefined)
      .finally(() => {
        this.#ahead = undefined;
      });
  }

  /** Rebuilds the state in Redis from PostgreSQL's row, or returns how long to wait. */
  async rebuild(seen: Seen): Promise<number | undefined> {
    await requireSuitable(this.#redis);
    const acquired = await this.#lease.acquire(seen);
    if ('refusedForMs' in acquired) return acquired.refusedForMs;
    await this.#script.adopt(seen, acquired);
    return undefined;
  }

  /** Resolves when no reservation ahead of use is in progress. */
  async settled(): Promise<void> {
    await this.#ahead;
  }
}
