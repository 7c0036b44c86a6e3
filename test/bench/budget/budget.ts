import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventId, screeningId } from '@weir/contracts';
import type { OpenPipeline } from '@weir/service-kit';
import type { Line } from '../line.ts';
import { startProcess } from '../tier/process.ts';
import { openClient } from '../tier/production.ts';
import { startServers } from '../tier/servers.ts';
import { forkUpstream, type UpstreamBooks, type UpstreamProcess, upstreamEnv } from '../upstream.ts';
import { requestOf } from './request.ts';

const limits = { perSecond: 10, perDay: 10_000 };
const replicas = 4;
/** Queries that answer "running", half a second apart. The API documents 1 to 10 s for a task. */
const running = 1;
/** More than the limit allows, so that work always waits. */
const backlogPerMinute = 660;
const drainMs = 3_000;

/**
 * Four scoring replicas share one budget on Redis and always have work. A naive sequential client runs beside them under the same limit
 * with another key. Both upstreams refuse creates above the limit in a sliding second.
 */
export async function benchBudget(minutes: number, print: (line: Line) => void): Promise<Line[]> {
  const [servers, upstream, other] = [
    await startServers(),
    await forkUpstream({ perSecond: limits.perSecond, running }),
    await forkUpstream({ perSecond: limits.perSecond, running }),
  ];
  const pipeline = await openClient(servers);
  const processes = [];
  try {
    await requestAll(pipeline, Math.ceil(minutes * backlogPerMinute));
    for (let n = 1; n <= replicas; n += 1) {
      const env = { ...servers.env, ...upstreamEnv(upstream, limits) };
      processes.push(await startProcess('scoring', env, { name: `scoring ${n}` }));
    }
    const naive = startNaive(other, minutes * 60_000);
    await new Promise((resolve) => setTimeout(resolve, minutes * 60_000));
    const books = await upstream.count();
    const metrics = await Promise.all(processes.map((process) => process.metrics()));
    const stale = metrics.reduce((sum, each) => sum + (each.get('weir_budget_stale_grants_total') ?? 0), 0);
    const lines = linesOf(minutes, books, stale, await naive, await other.count());
    lines.forEach(print);
    return lines;
  } finally {
    await Promise.all(processes.map((process) => process.stop()));
    await pipeline.close();
    await servers.close();
    upstream.close();
    other.close();
  }
}

function linesOf(minutes: number, ours: UpstreamBooks, stale: number, done: number, theirs: UpstreamBooks): Line[] {
  /** Percentage of the limit between the first and the last create. */
  const used = (books: UpstreamBooks): number => (100 * (books.creates - books.limited - 1)) / ((limits.perSecond * books.spanMs) / 1_000);
  return [
    {
      name: `budget: limit used by ${replicas} replicas in ${minutes} minutes`,
      value: used(ours),
      unit: '%',
      note: `${ours.creates} creates, ${stale} grants too old to send; wanted at least 93`,
    },
    { name: 'budget: most creates in any sliding second', value: ours.mostInSecond, unit: '', note: `${limits.perSecond} are allowed` },
    { name: 'budget: answered with 429', value: ours.limited, unit: '' },
    {
      name: 'budget: limit used by the naive way, same time',
      value: used(theirs),
      unit: '%',
      note: `${theirs.creates} creates, ${done} results, ${theirs.limited} answered with 429`,
    },
  ];
}

async function startNaive({ url, apiKey }: UpstreamProcess, runMs: number): Promise<number> {
  const child: ChildProcess = fork(join(import.meta.dirname, 'naive-process.ts'), [url, apiKey, String(runMs - drainMs)]);
  const [{ done }] = (await once(child, 'message')) as [{ done: number }];
  return done;
}

async function requestAll({ log, codec }: OpenPipeline, count: number): Promise<void> {
  const requests = Array.from({ length: count }, (_, n) => requestOf(screeningId('deposit', `budget-${n}`), n));
  for (let at = 0; at < count; at += 250) {
    await log.publish(
      requests.slice(at, at + 250).map((data) => ({
        topic: 'screenings.requested',
        key: data.transfer.source_id,
        value: codec.encode('screenings.requested', data),
        headers: { ce_id: eventId('screenings.requested', data.screening_id, data.attempt) },
      })),
    );
  }
}
