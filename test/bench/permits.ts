import { senderOf } from './decisions.ts';
import { type Line, percentile } from './line.ts';
import { Caller, openLoop } from './open-loop.ts';
import type { EmbeddedSystem } from './system.ts';

const perSecond = 20;

/** Milliseconds from a withdrawal's scheduled request to the response with its permit. Each has a receiver of its own. */
export async function measurePermits({ gate }: EmbeddedSystem, seconds: number): Promise<number[]> {
  const caller = new Caller(gate);
  const took: number[] = [];
  await openLoop(seconds * perSecond, perSecond, async (n, dueAt) => {
    const withdrawal = { withdrawal_id: `permit-${n}`, coin: 'ETH', to_address: senderOf('permit', n), amount: '1.5', usd_value: '2500' };
    // 200 is an allowed withdrawal; one without a decision yet would be 202.
    await caller.post('/v1/withdrawals', withdrawal, 200, { prefer: 'wait=30' });
    took.push(performance.now() - dueAt);
  });
  caller.close();
  return took;
}

export function permitLines(took: readonly number[]): Line[] {
  return [0.5, 0.99].map((share) => ({
    name: `withdrawal to permit, ${perSecond}/s, embedded, p${share * 100}`,
    value: percentile(took, share),
    unit: 'ms',
  }));
}
