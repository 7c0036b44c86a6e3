import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { redisError } from '@weir/redis';
import type { Redis } from 'ioredis';
import type { Reservation, BudgetLimits, Lane } from '../budget.ts';
import { type Ask, type BudgetState, refundFromMs, ruleArguments } from '../decide.ts';
import { type Pace, paceOf } from '../pace.ts';
import { type Adoption, blockOf, leaseMs, type Need, type Reserved, type Seen } from './lease.ts';

/** This server has no valid state. */
interface Lost {
  readonly kind: 'lost';
  readonly seen: Seen;
}

export type Taken =
  | {
      readonly kind: 'granted';
      readonly count: number;
      readonly ahead: boolean;
      readonly need: Need;
      readonly reservation: Reservation | null;
    }
  | { readonly kind: 'refused'; readonly waitMs: number; readonly window: 'second' | 'day' }
  /** `left`: reserved creates that can go without PostgreSQL. */
  | { readonly kind: 'reserve'; readonly left: number; readonly need: Need }
  | Lost;

const lua = readFileSync(new URL('./budget.lua', import.meta.url), 'utf8');
const command = 'weirBudget';
type Scripted = Redis & Record<typeof command, (key: string, ...args: (string | number)[]) => Promise<Reply>>;
type Reply = readonly [string, ...(string | number)[]];

/** `budget.lua`, typed. Each call is atomic. Rejects with `RedisError`. */
export class BudgetScript {
  readonly #redis: Scripted;
  readonly #key: string;
  readonly #pace: Pace;
  readonly #toldNow: () => number | '';
  readonly #block: number;

  constructor(redis: Redis, name: string, limits: BudgetLimits, toldNow: () => number | undefined) {
    redis.defineCommand(command, { lua, numberOfKeys: 1 });
    this.#redis = redis as Scripted;
    // The name contains the upstream's address.
    this.#key = `weir:budget:${createHash('sha256').update(name).digest('hex').slice(0, 32)}`;
    this.#pace = paceOf(limits);
    this.#block = blockOf(limits);
    this.#toldNow = () => toldNow() ?? '';
  }

  async take(ask: Ask): Promise<Taken> {
    const { lane } = ask;
    const reply = await this.#run('take', JSON.stringify({ ...ruleArguments(ask, this.#pace), block: this.#block, lease_ms: leaseMs }));
    const [kind, first, second] = reply;
    if (kind === 'granted') {
      const need = needOf(lane, reply.slice(3));
      const reservation = reply[8] === '' ? null : { at: need.now, timestamp: Number(reply[8]) };
      return { kind, count: Number(first), ahead: second === 1, need, reservation };
    }
    if (kind === 'refused') return { kind, waitMs: Number(first), window: second === 'day' ? 'day' : 'second' };
    if (kind === 'reserve') return { kind, left: Number(first), need: needOf(lane, reply.slice(2)) };
    return lostOf(reply);
  }

  async extend({ now, epoch }: Need, { day, used }: Reserved): Promise<void> {
    await this.#run('extend', epoch, now + leaseMs, leaseMs, day, used.withdrawal, used.deposit, used.rescreen);
  }

  async adopt(seen: Seen, { epoch, waitSecondMs, waitDayMs, day, used }: Adoption): Promise<void> {
    const counts = [used.withdrawal, used.deposit, used.rescreen];
    await this.#run('adopt', seen.epoch, epoch, seen.now + leaseMs, waitSecondMs, waitDayMs, day, ...counts);
  }

  async refund(lane: Lane, count: number): Promise<void> {
    await this.#run('refund', lane, count, refundFromMs);
  }

  /** `to`: null for unused grants. */
  async settle(reservation: Reservation, to: number | null, count: number): Promise<void> {
    await this.#run('settle', reservation.timestamp, to ?? '', count);
  }

  async pause(window: 'second' | 'day', ms: number): Promise<void> {
    await this.#run('pause', window, ms);
  }

  async look(): Promise<{ readonly kind: 'state'; readonly state: BudgetState; readonly now: number } | Lost> {
    const reply = await this.#run('look');
    if (reply[0] !== 'state') return lostOf(reply);
    const [now = 0, tat = 0, day = 0, withdrawal = 0, deposit = 0, rescreen = 0, pausedSecondUntil = 0, pausedDayUntil = 0, ...log] = reply
      .slice(1)
      .map(Number);
    const used = { withdrawal, deposit, rescreen };
    return { kind: 'state', now, state: { tat, log, day, used, pausedSecondUntil, pausedDayUntil } };
  }

  async #run(operation: string, ...args: (string | number)[]): Promise<Reply> {
    try {
      return await this.#redis[command](this.#key, operation, this.#toldNow(), ...args);
    } catch (error) {
      throw redisError(error);
    }
  }
}

function seenOf([now, server, epoch]: readonly unknown[]): Seen {
  return { now: Number(now), server: String(server), epoch: String(epoch) };
}

function needOf(lane: Lane, reply: readonly unknown[]): Need {
  return { ...seenOf(reply), day: Number(reply[3]), lane, upto: Number(reply[4]) };
}

function lostOf([kind, ...reply]: readonly unknown[]): Lost {
  if (kind !== 'lost') throw new Error(`the budget's script answered ${String(kind)}`);
  return { kind, seen: seenOf(reply) };
}
