import { setTimeout as delay } from 'node:timers/promises';
import type { Deployment, Undo } from './deployment.ts';
import { publishGarbage } from './garbage.ts';
import { between } from './plan.ts';
import type { Step } from './scenarios.ts';

export interface FaultContext {
  readonly deployment: Deployment;
  readonly random: () => number;
  /** Identifies the run in the ids that a fault sends. */
  readonly run: string;
  readonly say: (line: string) => void;
  /** Record values (base64) that must become dead letters; no other record may. */
  readonly sentGarbage: Set<string>;
}

/** Resolves when every part is ready again. */
export async function perform(step: Step, context: FaultContext): Promise<void> {
  const { deployment, random, say } = context;
  const draw = (range: readonly [number, number]): number => between(random, range);
  const oneOf = (): 'first' | 'second' => (random() < 0.5 ? 'first' : 'second');
  switch (step.do) {
    case 'go on':
      await delay(draw(step.forMs));
      return;
    case 'kill': {
      const which = step.which === 'either' ? oneOf() : step.which;
      const aways = step.parts.map((part) => ({ part, awayMs: draw(step.awayMs) }));
      say(`kill -9 ${step.parts.join(', ')} (${which})`);
      return all(aways.map(({ part, awayMs }) => awhile(() => deployment.kill(part, which), awayMs)));
    }
    case 'leave': {
      const which = step.which ?? oneOf();
      say(`the ${which} replica of every service leaves`);
      return awhile(() => deployment.leave(which), draw(step.awayMs));
    }
    case 'flush redis':
      for (let time = 1; time <= step.times; time += 1) {
        say('FLUSHALL');
        await deployment.flushRedis();
        await delay(draw(step.everyMs));
      }
      return;
    case 'replace redis':
      say('another Redis, which knows nothing');
      return awhile(() => deployment.replaceRedis(), draw(step.awayMs));
    case 'registry away': {
      const awayMs = draw(step.awayMs);
      const which = step.which ?? oneOf();
      say(`the registry is away for ${awayMs} ms, and ${step.killing} (${which}) is killed`);
      // The service restarts during the outage and can only become ready after it.
      return all([
        awhile(() => deployment.registryAway(), awayMs),
        delay(300).then(() => awhile(() => deployment.kill(step.killing, which), 300)),
      ]);
    }
    case 'upstream': {
      const forMs = draw(step.forMs);
      say(`the upstream is ${step.mode} for ${forMs} ms`);
      return awhile(() => deployment.upstream.disturb(step.mode), forMs);
    }
    case 'clock': {
      const [which, byMs, forMs] = [oneOf(), draw(step.byMs), draw(step.forMs)];
      say(`clocks (${which}) are off by ${(byMs / 60_000).toFixed(1)} minutes for ${forMs} ms`);
      return awhile(() => deployment.setClock(which, byMs), forMs);
    }
    case 'cut connections':
      return cutConnections(context);
    case 'garbage':
      return publishGarbage(step.records, context);
    case 'spend the day':
      return spendTheDay(draw(step.left), draw(step.forMs), context);
  }
}

/** Waits for all, even when one fails, so that every fault is undone. */
async function all(works: readonly Promise<void>[]): Promise<void> {
  const ended = await Promise.allSettled(works);
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function awhile(take: () => Promise<Undo>, ms: number): Promise<void> {
  const undo = await take();
  await delay(ms);
  await undo();
}

async function cutConnections({ deployment, say }: FaultContext): Promise<void> {
  const pipeline = await deployment.open();
  try {
    const { rowCount } = await pipeline.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`,
    );
    say(`${rowCount} connections to the database are cut`);
  } finally {
    await pipeline.close();
  }
}

async function spendTheDay(left: number, forMs: number, { deployment, say }: FaultContext): Promise<void> {
  const limit = await deployment.upstream.limitDay(left);
  say(`the day's limit is ${left} more creates (${limit}) for ${forMs} ms; scoring is restarted`);
  await deployment.setPerDay(limit);
  await delay(forMs);
  await deployment.upstream.limitDay(null);
  await deployment.setPerDay(undefined);
}
