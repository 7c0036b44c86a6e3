import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types';
import type { EvmChain } from './evm.ts';
import { listen, sendJson } from './faults.ts';
import { makeSettler } from './settler.ts';
import type { SolanaChain } from './solana.ts';

/** x402's own facilitator over HTTP, in which a test can inject failures. */
export interface Facilitator {
  readonly url: string;
  /** Pays the fees on Solana; payment requirements name it as `extra.feePayer`. */
  readonly feePayer: string;
  /** In order of completion. Injected delays do not count. */
  readonly calls: readonly FacilitatorCall[];
  /** Applies to the next `times` calls without an earlier plan. */
  fault(on: FacilitatorCall['on'], fault: Fault, times?: number): void;
  /** Stops the next call before or after execution, until released. */
  hold(on: FacilitatorCall['on'], at: 'before' | 'after'): Held;
  clear(): void;
  away(): Promise<void>;
  back(): Promise<void>;
  close(): Promise<void>;
}

export interface FacilitatorCall {
  readonly on: 'verify' | 'settle';
  readonly network: string;
  readonly ok: boolean;
  readonly reason: string | undefined;
  readonly transaction: string | undefined;
  readonly durationMs: number;
}

export type Fault =
  /** Executes, then responds `ms` later. */
  | { readonly kind: 'slow'; readonly ms: number }
  | { readonly kind: 'drop'; readonly at: 'before' | 'after' }
  /** Responds with this status without executing. */
  | { readonly kind: 'status'; readonly status: number }
  /** Executes, then sends an unreadable response. */
  | { readonly kind: 'garbage' };

export interface Held {
  readonly reached: Promise<void>;
  release(): void;
}

interface Plan {
  readonly on: FacilitatorCall['on'];
  readonly fault: Fault | { readonly kind: 'hold'; readonly at: 'before' | 'after'; reached(): void; readonly released: Promise<void> };
  times: number;
}

/** `confirmationMs`: how long a settlement waits for its block before it is pending. Default 2,000. */
export async function startFacilitator(options: {
  readonly evm: EvmChain;
  readonly solana: SolanaChain;
  readonly confirmationMs?: number;
}): Promise<Facilitator> {
  const settler = await makeSettler({ confirmationMs: 2_000, ...options });
  const calls: FacilitatorCall[] = [];
  let plans: Plan[] = [];
  let releases: (() => void)[] = [];

  async function perform(on: FacilitatorCall['on'], body: string): Promise<unknown> {
    const { paymentPayload, paymentRequirements } = JSON.parse(body) as Asked;
    const startedAt = performance.now();
    const told = await settler.facilitator[on](paymentPayload, paymentRequirements);
    const said = 'isValid' in told ? { ok: told.isValid, reason: told.invalidReason } : { ok: told.success, reason: told.errorReason };
    const transaction = 'transaction' in told && told.transaction !== '' ? told.transaction : undefined;
    calls.push({ on, network: paymentRequirements.network, ...said, transaction, durationMs: performance.now() - startedAt });
    return told;
  }

  async function answer(on: FacilitatorCall['on'], body: string, response: ServerResponse): Promise<void> {
    const plan = plans.find((candidate) => candidate.on === on && candidate.times > 0);
    if (plan !== undefined) plan.times -= 1;
    const fault = plan?.fault;
    if (fault?.kind === 'status') return sendJson(response, fault.status, { error: 'out of order' });
    if (fault?.kind === 'slow') await delay(fault.ms);
    const at = async (point: 'before' | 'after'): Promise<boolean> => {
      if (fault?.kind === 'drop' && fault.at === point) response.destroy();
      if (fault?.kind === 'hold' && fault.at === point) {
        fault.reached();
        await fault.released;
      }
      return !response.destroyed;
    };
    if (!(await at('before'))) return;
    const done = await perform(on, body);
    if (!(await at('after'))) return;
    if (fault?.kind === 'garbage') response.writeHead(200, { 'content-type': 'text/html' }).end('<html>502');
    else sendJson(response, 200, done);
  }

  const listener = await listen(async (request, body, response) => {
    if (request.url === '/supported') return sendJson(response, 200, settler.facilitator.getSupported());
    if (request.url === '/verify' || request.url === '/settle')
      return answer(request.url === '/verify' ? 'verify' : 'settle', body, response);
    return sendJson(response, 404, { error: 'not found' });
  });

  return {
    url: listener.url,
    feePayer: settler.feePayer,
    calls,
    fault: (on, fault, times = 1) => void plans.push({ on, fault, times }),
    hold: (on, at) => {
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      releases.push(released.resolve);
      plans.push({ on, fault: { kind: 'hold', at, reached: reached.resolve, released: released.promise }, times: 1 });
      return { reached: reached.promise, release: released.resolve };
    },
    clear: () => {
      plans = [];
      for (const release of releases) release();
      releases = [];
    },
    away: listener.away,
    back: listener.back,
    close: listener.close,
  };
}

interface Asked {
  readonly paymentPayload: PaymentPayload;
  readonly paymentRequirements: PaymentRequirements;
}
