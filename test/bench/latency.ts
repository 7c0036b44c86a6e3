import { postedDeposit, type Senders } from './decisions.ts';
import { type Line, percentile } from './line.ts';
import { Caller, openLoop } from './open-loop.ts';
import type { System } from './system.ts';
import type { DecisionWatch } from './watch.ts';

const perSecond = 100;
const decisionLimitMs = 60_000;

export interface Latency {
  /** Milliseconds from a request's scheduled time until its decision is read. */
  readonly decided: readonly number[];
  /** Milliseconds from the scheduled time until the response. */
  readonly answered: readonly number[];
  /** The largest delay of a send. The load is an open loop only while this is small. */
  readonly latestMs: number;
}

/**
 * An open loop: deposits follow a fixed schedule and are timed from their scheduled time. A pause shows in all requests that were due in
 * it.
 */
export async function measureLatency(
  { ingest }: System,
  watch: DecisionWatch,
  seconds: number,
  run: string,
  senders?: Senders,
): Promise<Latency> {
  const ids = Array.from({ length: seconds * perSecond }, (_, n) => `${run}-${n}`);
  const moments = watch.until(ids, seconds * 1_000 + decisionLimitMs);
  const caller = new Caller(ingest);
  const answered: number[] = [];
  const due: number[] = [];
  const latestMs = await openLoop(ids.length, perSecond, async (n, dueAt) => {
    due[n] = dueAt;
    await caller.post('/v1/deposits', postedDeposit(ids[n] ?? '', n, senders), 202);
    answered.push(performance.now() - dueAt);
  });
  const decidedAt = await moments;
  caller.close();
  return { decided: ids.map((id, n) => (decidedAt.get(id) ?? Number.NaN) - (due[n] ?? Number.NaN)), answered, latestMs };
}

export function latencyLines(tier: string, { decided, answered, latestMs }: Latency, boundMs: number): Line[] {
  const of = (what: string, times: readonly number[], share: number, note?: string): Line => ({
    name: `${what}, ${perSecond}/s, ${tier}, ${share === 1 ? 'max' : `p${share * 100}`}`,
    value: percentile(times, share),
    unit: 'ms',
    ...(note === undefined ? {} : { note }),
  });
  return [
    of('request to decision', decided, 0.5),
    of(
      'request to decision',
      decided,
      0.99,
      `wanted below ${boundMs}; ${decided.length} requests, sent at most ${latestMs.toFixed(0)} ms late`,
    ),
    of('request to decision', decided, 1),
    of('request to answer', answered, 0.99),
  ];
}
