import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

export interface Answer {
  readonly status: number;
  readonly body: any;
}

export interface Withdrawal {
  readonly withdrawal_id: string;
  readonly coin: string;
  readonly to_address: string;
  readonly amount: string;
}

/** All that a caller was told, in the order of the answers. */
export interface Told {
  readonly deposits: ReadonlyMap<string, object>;
  readonly withdrawals: ReadonlyMap<string, Withdrawal>;
  /** Permits by withdrawal. */
  readonly permits: ReadonlyMap<string, string>;
  /** Withdrawals whose redemption was answered with 200. */
  readonly redeemed: ReadonlySet<string>;
  /** Withdrawals whose redemption was asked for. A kill may have taken the answer. */
  readonly attempted: ReadonlySet<string>;
}

/** A point in time, and all that was told before it. */
export interface Point {
  readonly at: Date;
  readonly told: Told;
}

export type Role = 'ingest' | 'gate';

/** Where a caller finds Weir. */
export interface Place {
  urlOf(role: Role): string;
  token(role: Role): string;
}

const retryWithinMs = 150_000;

const termsOf = ({ coin, to_address, amount }: Withdrawal) => ({ chain: 'ethereum', coin, to_address, amount });

/** A caller that asks again after 503, as callers have to: a gate that has just started has read no decisions. */
export function callerOf(own: Place) {
  const ask = async (role: Role, method: string, path: string, body: object): Promise<Answer> => {
    const answer = await fetch(`${own.urlOf(role)}${path}`, {
      method,
      headers: { authorization: `Bearer ${own.token(role)}`, 'content-type': 'application/json', prefer: 'wait=60' },
      signal: AbortSignal.timeout(120_000),
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: await answer.json() };
  };
  return async (...request: Parameters<typeof ask>): Promise<Answer> => {
    const end = performance.now() + retryWithinMs;
    for (;;) {
      const answer = await ask(...request);
      if (answer.status !== 503 || performance.now() > end) return answer;
      await delay(100);
    }
  };
}

/** Whether this call redeemed it: by its answer, or by the name of its attempt where the answer was lost. */
export async function redeem(
  call: ReturnType<typeof callerOf>,
  withdrawal: Withdrawal,
  permit: string,
): Promise<{ status: number; isOwn: boolean }> {
  const redemption_id = randomUUID();
  const { status, body } = await call('gate', 'POST', '/v1/permits/redeem', { permit, redemption_id, ...termsOf(withdrawal) });
  return { status, isOwn: status === 200 || (status === 409 && body.redemption_id === redemption_id) };
}

/** Deposits, and withdrawals of which half are redeemed, from several callers at once. */
export class Load {
  readonly #call: ReturnType<typeof callerOf>;
  readonly #random: () => number;
  readonly #deposits = new Map<string, object>();
  readonly #withdrawals = new Map<string, Withdrawal>();
  readonly #permits = new Map<string, string>();
  readonly #redeemed = new Set<string>();
  readonly #attempted = new Set<string>();
  #count = 0;
  #isKilled = false;

  constructor(own: Place, random: () => number) {
    this.#call = callerOf(own);
    this.#random = random;
  }

  /** Runs `actions` transfers, `callers` at a time. */
  async run(actions: number, callers: number): Promise<void> {
    const last = this.#count + actions;
    const caller = async (): Promise<void> => {
      while (this.#count < last && !this.#isKilled) await this.#act((this.#count += 1));
    };
    await Promise.all(Array.from({ length: callers }, caller));
  }

  /** Runs transfers until the installation is killed. */
  async runUntil(kill: () => Promise<void>, callers: number): Promise<void> {
    const running = this.run(Number.POSITIVE_INFINITY, callers).catch(() => undefined);
    // Some were told before the kill.
    for (const before = this.#count; this.#count < before + 3 * callers; ) await delay(20);
    this.#isKilled = true;
    await kill();
    await running;
  }

  /** PostgreSQL's times are finer than a millisecond, so the point is the end of this one. */
  point(): Point {
    return { at: new Date(Date.now() + 1), told: this.told() };
  }

  told(): Told {
    return {
      deposits: new Map(this.#deposits),
      withdrawals: new Map(this.#withdrawals),
      permits: new Map(this.#permits),
      redeemed: new Set(this.#redeemed),
      attempted: new Set(this.#attempted),
    };
  }

  async #act(n: number): Promise<void> {
    const address = `0x${n.toString(16).padStart(40, 'd')}`;
    if (this.#random() < 0.5) {
      const deposit = { deposit_id: `in-${n}`, coin: 'ETH', from_address: address, to_address: `0x${'e'.repeat(40)}`, amount: '1' };
      const { status, body } = await this.#call('ingest', 'POST', '/v1/deposits', deposit);
      if (status !== 202) throw new Error(`deposit ${n}: ${status} ${JSON.stringify(body)}`);
      this.#deposits.set(deposit.deposit_id, deposit);
      return;
    }
    const withdrawal = { withdrawal_id: `out-${n}`, coin: 'ETH', to_address: address, amount: '1.5' };
    const { status, body } = await this.#call('gate', 'POST', '/v1/withdrawals', withdrawal);
    if (status >= 300) throw new Error(`withdrawal ${n}: ${status} ${JSON.stringify(body)}`);
    this.#withdrawals.set(withdrawal.withdrawal_id, withdrawal);
    if (body.permit === undefined) return;
    this.#permits.set(withdrawal.withdrawal_id, body.permit);
    if (this.#random() < 0.5) return;
    this.#attempted.add(withdrawal.withdrawal_id);
    if ((await redeem(this.#call, withdrawal, body.permit)).isOwn) this.#redeemed.add(withdrawal.withdrawal_id);
  }
}
