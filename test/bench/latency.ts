import { Agent, request } from 'node:http';
import { receiver, senderOf } from './decisions.ts';
import type { Line } from './line.ts';
import { percentile } from './line.ts';
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
export async function measureLatency(system: System, watch: DecisionWatch, seconds: number, run: string): Promise<Latency> {
  const ids = Array.from({ length: seconds * perSecond }, (_, n) => `${run}-${n}`);
  const moments = watch.until(ids, seconds * 1_000 + decisionLimitMs);
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  const answered: number[] = [];
  const posts: Promise<void>[] = [];
  let latestMs = 0;
  const start = performance.now() + 50;
  const dueAt = (n: number): number => start + (n * 1_000) / perSecond;
  for (const [n, id] of ids.entries()) {
    while (performance.now() < dueAt(n)) await new Promise((resolve) => setTimeout(resolve, dueAt(n) - performance.now()));
    latestMs = Math.max(latestMs, performance.now() - dueAt(n));
    posts.push(
      post(system, agent, id, n).then(() => {
        answered.push(performance.now() - dueAt(n));
      }),
    );
  }
  await Promise.all(posts);
  const decidedAt = await moments;
  agent.destroy();
  return { decided: ids.map((id, n) => (decidedAt.get(id) ?? Number.NaN) - dueAt(n)), answered, latestMs };
}

function post({ ingest }: System, agent: Agent, id: string, n: number): Promise<void> {
  const body = JSON.stringify({
    deposit_id: id,
    coin: 'ETH',
    from_address: senderOf(id, n),
    to_address: receiver,
    amount: '1.5',
    usd_value: '2500',
  });
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ingest.token}` };
  return new Promise((resolve, reject) => {
    request(`${ingest.url}/v1/deposits`, { method: 'POST', agent, headers }, (response) => {
      if (response.statusCode !== 202) reject(new Error(`a deposit was answered with ${response.statusCode}`));
      response.resume();
      response.once('end', resolve);
    })
      .once('error', reject)
      .end(body);
  });
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
