import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment } from '../chaos/deployment.ts';
import { exchangeAddress, postDeposit, untilAcknowledged } from '../chaos/load.ts';

/** Deposits of this time may be open. Past it they are left out, for an outage must not end in a storm of retries. */
const mostOpenSeconds = 5;
const repeats = { retryMs: 2_000, timeoutMs: 20_000 };
/** Every second deposit is of a counterparty that has sent before, within the ten minutes that an answer is good for. */
const known = 1_000;
/** Last digits whose level is Low. Few others, as nobody works off their reviews here. */
const low = '0123456789';
const raisedEvery = 200;

/** Posts deposits at a steady rate to both processes in turn, each until it is acknowledged. */
export class SteadyLoad {
  /** Their ids by screening. */
  readonly acknowledged = new Map<string, string>();
  /** How many were left out. */
  omitted = 0;
  readonly #deployment: Deployment;
  readonly #name: string;
  readonly #mostOpen: number;
  readonly #open = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  readonly #pacing: Promise<void>;
  readonly #failures: unknown[] = [];

  constructor(deployment: Deployment, { name, perSecond }: { readonly name: string; readonly perSecond: number }) {
    this.#deployment = deployment;
    this.#name = name;
    this.#mostOpen = perSecond * mostOpenSeconds;
    this.#pacing = this.#pace(1_000 / perSecond);
  }

  /** Resolves when each started one is acknowledged. Rejects where one was not. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#pacing;
    await Promise.all(this.#open);
    if (this.#failures.length > 0) throw this.#failures[0];
  }

  async #pace(everyMs: number): Promise<void> {
    const began = performance.now();
    for (let n = 0; !this.#stop.signal.aborted; n += 1) {
      if (this.#open.size >= this.#mostOpen) {
        this.omitted += 1;
      } else {
        const posting: Promise<void> = this.#post(n)
          .catch((error: unknown) => void this.#failures.push(error))
          .finally(() => this.#open.delete(posting));
        this.#open.add(posting);
      }
      const waitMs = began + (n + 1) * everyMs - performance.now();
      if (waitMs > 0) await delay(waitMs, undefined, { signal: this.#stop.signal }).catch(() => undefined);
    }
  }

  async #post(n: number): Promise<void> {
    const deposit = {
      deposit_id: `${this.#name}-${n}`,
      coin: 'ETH',
      from_address: this.#address(n),
      to_address: exchangeAddress,
      amount: '1.25',
    };
    const body = JSON.stringify(deposit);
    const post = (attempt: number): Promise<string | undefined> => postDeposit(this.#deployment, body, n + attempt, repeats.timeoutMs);
    const screening = await untilAcknowledged(deposit.deposit_id, post, repeats.retryMs);
    this.acknowledged.set(screening, deposit.deposit_id);
  }

  #address(n: number): string {
    const subject = n % 2 === 0 ? `known/${(n / 2) % known}` : n;
    const hash = createHash('sha256').update(`${this.#name}/${subject}`).digest('hex');
    const level = n % raisedEvery === 1 ? 'f' : low[Number.parseInt(hash.slice(40, 44), 16) % low.length];
    return `0x${hash.slice(0, 39)}${level}`;
  }
}
