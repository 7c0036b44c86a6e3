import { plain, type Payer, type World } from './world.ts';
import { pay, send } from './raw.ts';

export interface PaidLatency {
  readonly network: string;
  readonly calls: number;
  /** Medians in milliseconds: a paid call, the same call unpaid (402), and the facilitator's work within the paid call. */
  readonly paidMs: number;
  readonly unpaidMs: number;
  readonly verifyMs: number;
  readonly settleMs: number;
  /** The service's own share: the paid call without the facilitator's time. */
  readonly ownMs: number;
}

/** Measures sequential paid calls by one funded payer. Offers and signatures are not timed. */
export async function measurePaidCalls(world: World, url: string, payer: Payer, calls: number): Promise<PaidLatency> {
  const asked = { path: `/x402/address_labels?coin=ETH&address=${plain}` };
  const paid: number[] = [];
  const unpaid: number[] = [];
  const verify: number[] = [];
  const settle: number[] = [];
  const own: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    const payment = await pay(url, asked, payer);
    unpaid.push(await timed(() => send(url, asked), 402));
    const seen = world.facilitator.calls.length;
    const tookMs = await timed(() => send(url, asked, payment), 200);
    const [verified, settled] = world.facilitator.calls.slice(seen);
    if (verified?.on !== 'verify' || settled?.on !== 'settle') throw new Error('the facilitator was not asked as expected');
    paid.push(tookMs);
    verify.push(verified.durationMs);
    settle.push(settled.durationMs);
    own.push(tookMs - verified.durationMs - settled.durationMs);
  }
  return {
    network: payer.network,
    calls,
    paidMs: median(paid),
    unpaidMs: median(unpaid),
    verifyMs: median(verify),
    settleMs: median(settle),
    ownMs: median(own),
  };
}

export function lineOf({ network, calls, paidMs, unpaidMs, verifyMs, settleMs, ownMs }: PaidLatency): string {
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  return `${network}: a paid call ${ms(paidMs)}, of which the facilitator ${ms(verifyMs)} to verify and ${ms(settleMs)} to settle, the rest ${ms(ownMs)}; a 402 ${ms(unpaidMs)} (medians of ${calls})`;
}

async function timed(call: () => Promise<{ status: number }>, expected: number): Promise<number> {
  const startedAt = performance.now();
  const { status } = await call();
  if (status !== expected) throw new Error(`${expected} was to be expected, it came to ${status}`);
  return performance.now() - startedAt;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
