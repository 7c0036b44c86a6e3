import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { eventId, screeningId } from '@weir/contracts';
import type { Deployment } from './deployment.ts';
import { Writer } from './writer.ts';

/** Fixed, because a repeat must be byte-identical. */
const requestedAt = Date.now();
/** A transfer that stays unacknowledged for longer is a violation. */
const acknowledgeLimitMs = 300_000;
const postTimeoutMs = 5_000;
export const exchangeAddress = '0x28c6c06298d514db089934071355e5743bf21d60';

export interface LoadOptions {
  readonly name: string;
  readonly depositPosters: number;
  readonly pauseMs: number;
  /** Withdrawals must be paced: a publisher does not wait for consumers, and could starve deposits of budget. */
  readonly withdrawalEveryMs: number;
  readonly subjects: number;
}

/** Retries each transfer until it is acknowledged, and repeats some. */
export class Load {
  /** The exchange's id of every acknowledged transfer, by screening. */
  readonly acknowledged = new Map<string, string>();
  deposits = 0;
  withdrawals = 0;
  readonly #deployment: Deployment;
  readonly #options: LoadOptions;
  readonly #writer: Writer;
  readonly #working: Promise<unknown>;
  #next = 0;
  #stopped = false;

  constructor(deployment: Deployment, options: LoadOptions) {
    this.#deployment = deployment;
    this.#options = options;
    this.#writer = new Writer(deployment);
    const depositors = Array.from({ length: options.depositPosters }, () => this.#repeat(options.pauseMs, (n) => this.#deposit(n)));
    this.#working = Promise.all([...depositors, this.#repeat(options.withdrawalEveryMs, (n) => this.#withdraw(n))]);
    // `stop` reports the rejection.
    this.#working.catch(() => undefined);
  }

  /** Finishes started transfers first: each of them counts. */
  async stop(): Promise<void> {
    this.#stopped = true;
    try {
      await this.#working;
    } finally {
      await this.#writer.close();
    }
  }

  async #repeat(pauseMs: number, one: (n: number) => Promise<void>): Promise<void> {
    while (!this.#stopped) {
      await one(this.#next++);
      await delay(pauseMs);
    }
  }

  #address(n: number): string {
    const { name, subjects } = this.#options;
    const hash = createHash('sha256')
      .update(`${name}/${n % subjects}`)
      .digest('hex');
    return `0x${hash.slice(0, 40)}`;
  }

  async #deposit(n: number): Promise<void> {
    const id = `${this.#options.name}-d${n}`;
    const body = { deposit_id: id, coin: 'ETH', from_address: this.#address(n), to_address: exchangeAddress, amount: '1.25' };
    const screening = await untilAcknowledged(id, (attempt) => postDeposit(this.#deployment, JSON.stringify(body), n + attempt));
    this.acknowledged.set(screening, id);
    this.deposits += 1;
    // Repeats the deposit at the other replica while the first copy is in progress.
    if (n % 20 === 0) await postDeposit(this.#deployment, JSON.stringify(body), n + 1).catch(() => undefined);
  }

  async #withdraw(n: number): Promise<void> {
    const id = `${this.#options.name}-w${n}`;
    const withdrawal = { withdrawal_id: id, chain: null, coin: 'ETH', to_address: this.#address(n), amount: '0.5', usd_value: null };
    const screening = screeningId('withdrawal', id);
    const times = n % 20 === 0 ? 2 : 1;
    await untilAcknowledged(id, async () => {
      await this.#writer.publish((codec) => {
        const value = codec.encode('withdrawals.requested', { ...withdrawal, user_id: null, memo: null, requested_at: requestedAt });
        const headers = { ce_id: eventId('withdrawals.requested', screening) };
        return Array.from({ length: times }, () => ({ topic: 'withdrawals.requested', key: id, value, headers }));
      });
      return screening;
    });
    this.acknowledged.set(screening, id);
    this.withdrawals += 1;
  }
}

/** At the nth replica. The screening's id; undefined without an acknowledgement. */
export async function postDeposit(deployment: Deployment, body: string, n: number, timeoutMs = postTimeoutMs): Promise<string | undefined> {
  const urls = deployment.ingest();
  const answer = await fetch(`${urls[n % urls.length]}/v1/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${deployment.token()}` },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await answer.text();
  if (answer.ok) return (JSON.parse(text) as { screening_id: string }).screening_id;
  if (answer.status !== 503 && answer.status !== 500) throw new Refused(`a deposit was refused with ${answer.status}: ${text}`);
  return undefined;
}

class Refused extends Error {}

export async function untilAcknowledged(id: string, tell: (attempt: number) => Promise<string | undefined>, pauseMs = 50): Promise<string> {
  const end = performance.now() + acknowledgeLimitMs;
  for (let attempt = 0; ; attempt += 1) {
    const screening = await tell(attempt).catch((error: unknown) => {
      if (error instanceof Refused) throw error;
      return undefined;
    });
    if (screening !== undefined) return screening;
    if (performance.now() > end) throw new Error(`${id} was not acknowledged in ${acknowledgeLimitMs / 1_000} s`);
    await delay(pauseMs);
  }
}
