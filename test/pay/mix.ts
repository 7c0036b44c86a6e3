import { randomUUID } from 'node:crypto';
import type { Fault } from '../support/local-chains/index.ts';
import type { Delivered } from './books.ts';
import { type Answered, type Asked, pay, send } from './raw.ts';
import type { PayServer } from './server.ts';
import { known, type Payer, plain, type World } from './world.ts';

/** Random calls, valid and invalid, some repeated, under injected failures. Records every delivered answer. */
export interface Mix {
  readonly world: World;
  readonly servers: readonly PayServer[];
  readonly payers: readonly Payer[];
  readonly poor: readonly Payer[];
  readonly random: () => number;
  readonly delivered: Delivered[];
  /** Used payments, for attempts to reuse them. */
  readonly used: { readonly asked: Asked; readonly payment: string; readonly id: string; readonly text: string }[];
  /** Calls by kind. */
  readonly counts: Map<string, number>;
}

const repeatLimitMs = 150_000;
const target = (address: string, operation: string): Asked => ({ path: `/x402/${operation}?coin=ETH&address=${address}` });
const operations = [
  'address_labels',
  'address_overview',
  'address_action',
  'address_trace',
  'address_counterparty',
  'transactions_investigation',
  'risk_score',
];

export function pick<T>({ random }: Pick<Mix, 'random'>, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

const kinds: Readonly<Record<string, { readonly share: number; readonly make: (mix: Mix) => Promise<void> }>> = {
  valid: { share: 45, make: buy },
  task: {
    share: 5,
    make: (mix) =>
      buy(mix, { method: 'POST', path: '/x402/risk_score_create_task', body: { coin: 'ETH', address: pick(mix, [known, plain]) } }),
  },
  duplicated: { share: 12, make: duplicated },
  replayed: { share: 12, make: replayed },
  'for another resource': { share: 6, make: elsewhere },
  invalid: { share: 8, make: (mix) => refused(mix, 400, target('nobody', pick(mix, operations))) },
  underpaid: { share: 6, make: (mix) => refused(mix, 402, target(known, pick(mix, operations)), { sign: { amount: '1' } }) },
  'without balance': { share: 6, make: (mix) => refused({ ...mix, payers: mix.poor }, 402, target(known, pick(mix, operations))) },
};

/** One call; the seed selects the kind. */
export async function callOnce(mix: Mix): Promise<void> {
  let at = mix.random() * Object.values(kinds).reduce((sum, { share }) => sum + share, 0);
  for (const [name, { share, make }] of Object.entries(kinds)) {
    at -= share;
    if (at >= 0) continue;
    mix.counts.set(name, (mix.counts.get(name) ?? 0) + 1);
    return make(mix);
  }
}

const faults: readonly (readonly ['verify' | 'settle', Fault])[] = [
  ['verify', { kind: 'drop', at: 'before' }],
  ['verify', { kind: 'drop', at: 'after' }],
  ['verify', { kind: 'status', status: 500 }],
  ['verify', { kind: 'garbage' }],
  ['settle', { kind: 'drop', at: 'before' }],
  ['settle', { kind: 'drop', at: 'after' }],
  ['settle', { kind: 'status', status: 500 }],
  ['settle', { kind: 'garbage' }],
];

/** Injects a fault for the next call. */
export function spoil({ world, random }: Mix): void {
  const [on, fault] = pick({ random }, faults);
  world.facilitator.fault(on, fault);
}

async function buy(mix: Mix, asked = target(pick(mix, [known, plain]), pick(mix, operations))): Promise<void> {
  const id = `pay_${randomUUID()}`;
  const payment = await offered(mix, asked, { id });
  const { status, text } = await untilAnswered(mix, asked, payment);
  if (status !== 200) throw new Error(`a good payment came to ${status}: ${text.slice(0, 200)}`);
  mix.delivered.push({ payment: id, text });
  mix.used.push({ asked, payment, id, text });
}

/** Sends one payment to several servers at once. */
async function duplicated(mix: Mix): Promise<void> {
  const asked = target(pick(mix, [known, plain]), pick(mix, operations));
  const id = `pay_${randomUUID()}`;
  const payment = await offered(mix, asked, { id });
  for (const { status, text } of await Promise.all([1, 2, 3].map(() => untilAnswered(mix, asked, payment)))) {
    if (status !== 200) throw new Error(`a good payment, sent thrice at once, came to ${status}: ${text.slice(0, 200)}`);
    mix.delivered.push({ payment: id, text });
  }
}

async function replayed(mix: Mix): Promise<void> {
  const before = mix.used.length === 0 ? undefined : pick(mix, mix.used);
  if (before === undefined) return buy(mix);
  const { status, text } = await untilAnswered(mix, before.asked, before.payment);
  if (status !== 200 || text !== before.text) throw new Error(`a replay came to ${status}`);
  mix.delivered.push({ payment: before.id, text });
}

async function elsewhere(mix: Mix): Promise<void> {
  const before = mix.used.length === 0 ? undefined : pick(mix, mix.used);
  if (before === undefined) return buy(mix);
  const { status } = await untilAnswered(mix, target('0x0000000000000000000000000000000000000099', 'address_trace'), before.payment);
  if (status !== 402 && status !== 409) throw new Error(`a payment bought something else: ${status}`);
}

async function refused(mix: Mix, expected: number, asked: Asked, changes: Parameters<typeof pay>[3] = {}): Promise<void> {
  const payment = await offered(mix, asked, changes);
  const { status, text } = await untilAnswered(mix, asked, payment);
  if (status !== expected) throw new Error(`${expected} was to be expected of ${asked.path}, it came to ${status}: ${text.slice(0, 200)}`);
}

/** A payment by one of the payers, once there is an offer. */
async function offered(mix: Mix, asked: Asked, changes: Parameters<typeof pay>[3]): Promise<string> {
  const payer = pick(mix, mix.payers);
  return patiently(() => pay(pick(mix, mix.servers).url, asked, payer, changes));
}

/** Retries the same payment until the answer is final. */
function untilAnswered(mix: Mix, asked: Asked, payment: string): Promise<Answered> {
  return patiently(async () => {
    const answered = await send(pick(mix, mix.servers).url, asked, payment);
    const isPassing = answered.status >= 500 || (answered.status === 409 && answered.text.includes('PaymentInProgress'));
    if (isPassing) throw new Error(`HTTP ${answered.status}`);
    return answered;
  });
}

async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const end = performance.now() + repeatLimitMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > end) throw error;
      // Backoff between a caller's retries.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
