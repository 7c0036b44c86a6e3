import { setTimeout as delay } from 'node:timers/promises';
import type { Stack } from './stack.ts';

const stepMs = 500;
/** Only ends what hangs: the machine may be busy. */
export const askLimitMs = 60_000;

export async function until<T>(what: string, ask: () => Promise<T | undefined>, limitMs = 120_000): Promise<T> {
  const end = performance.now() + limitMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (performance.now() > end) throw new Error(`waited ${limitMs} ms in vain: ${what}`);
    await delay(stepMs);
  }
}

export interface Decided {
  readonly status: string;
  readonly result: { readonly outcome: string } | null;
  readonly decisions: readonly {
    readonly revision: number;
    readonly action: string;
    readonly rule: string;
    readonly reason_codes: readonly string[];
  }[];
}

const sender = '0x098B716B8Aaf21512996dC57EB0615e2383E2f96';
const wallet = '0x28C6c06298d514Db089934071355E5743bf21d60';

/** Returns the screening's id. */
export async function postDeposit(stack: Stack, token: string, depositId: string, from = sender): Promise<string> {
  const response = await fetch(`${stack.url('WEIR_INGEST_PORT')}/v1/deposits`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ deposit_id: depositId, coin: 'ETH', amount: '1.5', usd_value: '4000', from_address: from, to_address: wallet }),
    signal: AbortSignal.timeout(askLimitMs),
  });
  if (response.status !== 202) throw new Error(`the deposit was answered with ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { screening_id: string }).screening_id;
}

/** Gets, or posts `body`. Rejects unless it is answered with success. */
export async function askConsole<T>(stack: Stack, token: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${stack.url('WEIR_CONSOLE_PORT')}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(askLimitMs),
  });
  if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as T;
}

export function decisionOf(stack: Stack, token: string, screening: string, limitMs?: number): Promise<Decided> {
  const ask = async (): Promise<Decided | undefined> => {
    const response = await fetch(`${stack.url('WEIR_CONSOLE_PORT')}/v1/screenings/${screening}`, {
      headers: { authorization: `Bearer ${token}` },
      signal: AbortSignal.timeout(askLimitMs),
    });
    if (response.status === 404) return undefined;
    if (!response.ok) throw new Error(`the console answered ${response.status}`);
    const found = (await response.json()) as Decided;
    return found.status === 'open' ? undefined : found;
  };
  return until(`the decision on ${screening}`, ask, limitMs);
}

export function freshAddress(random: (bytes: number) => Buffer): string {
  return `0x${random(20).toString('hex')}`;
}
