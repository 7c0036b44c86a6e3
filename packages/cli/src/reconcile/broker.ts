import { systemClock } from '@weir/clock';
import {
  consumerGroups,
  type ScreeningDecided,
  type ScreeningScored,
  type Topic,
  type TopicRecords,
  topics,
  UndecodableRecord,
} from '@weir/contracts';
import { findForgotten, takeOverDecisions } from '@weir/decision';
import { EventLogError, type LogGap, type LogRecord } from '@weir/event-log';
import { findForgottenResults, takeOverResults } from '@weir/scoring';
import { findAhead, kafkaTier, type OpenPipeline, pinPublished } from '@weir/service-kit';
import { type Difference, differencesOf } from './difference.ts';
import type { Reconciling } from './run.ts';

const pageSize = 500;
/** Screenings in memory at once, with their evidence. */
const screeningsAtOnce = 2_000;
/** A killed member stays in its group until its session ends. */
const membersGoneMs = 90_000;

/** On PostgreSQL the log went back with the database. A broker still has what came after the point, and its groups have passed it. */
export async function compareBroker({ pipeline, settings, restored, mend }: Reconciling): Promise<Difference[]> {
  return restored && kafkaTier(settings) !== undefined ? compareTopics(pipeline, mend) : [];
}

/**
 * Takes over published decisions and results as they stand, keeps the bytes of every published event that the database lacks, and moves the
 * groups back to what the database has handled. So the services read the rest again, and publish nothing with another content.
 */
export async function compareTopics(pipeline: OpenPipeline, mend: boolean): Promise<Difference[]> {
  return [
    ...(await compareResults(pipeline, mend)),
    ...(await compareDecisions(pipeline, mend)),
    ...(await compareEvents(pipeline, mend)),
    ...(await compareOffsets(pipeline, mend)),
  ];
}

/** Scoring's part: an attempt that has a published result is not looked up again. */
async function compareResults({ pool, log, codec }: OpenPipeline, mend: boolean): Promise<Difference[]> {
  const latest = new Map<string, number>();
  for await (const page of decoded(log, codec, 'screenings.scored'))
    for (const { screening_id, attempt, sequence } of await findForgottenResults(pool, page)) {
      const key = `${screening_id}/${attempt}`;
      latest.set(key, Math.max(latest.get(key) ?? 0, sequence));
    }
  const count = latest.size;
  if (count === 0) return [];
  if (mend)
    for await (const page of decoded(log, codec, 'screenings.scored')) {
      const last = page.filter(({ screening_id, attempt, sequence }) => {
        const key = `${screening_id}/${attempt}`;
        return latest.get(key) === sequence && latest.delete(key);
      });
      await takeOverResults(pool, last);
    }
  return [{ about: 'broker', state: 'mended', detail: `${count} published results were forgotten; they are taken over as they stand` }];
}

async function compareDecisions(pipeline: OpenPipeline, mend: boolean): Promise<Difference[]> {
  const { pool, log, codec } = pipeline;
  const forgotten = new Map<string, Map<number, ScreeningDecided>>();
  const other = new Set<string>();
  for await (const page of decoded(log, codec, 'screenings.decided')) {
    for (const decided of await findForgotten(pool, page)) {
      const own = forgotten.get(decided.screening_id) ?? new Map<number, ScreeningDecided>();
      // The first content of a revision counts.
      if (!own.has(decided.revision)) own.set(decided.revision, decided);
      forgotten.set(decided.screening_id, own);
    }
    const { rows } = await pool.query<{ id: string; revision: number; action: string; stored: string }>(
      `SELECT u.id, u.revision, u.action, d.action AS stored FROM unnest($1::uuid[], $2::int[], $3::text[]) AS u(id, revision, action)
       JOIN decision.decisions d ON d.screening_id = u.id AND d.revision = u.revision WHERE d.action <> u.action`,
      [page.map(({ screening_id }) => screening_id), page.map(({ revision }) => revision), page.map(({ action }) => action)],
    );
    for (const { id, revision, action, stored } of rows)
      other.add(`${id} was decided ${action} in revision ${revision}, and the database has ${stored}`);
  }
  const left: Difference[] = [];
  const ids = [...forgotten.keys()];
  for (let at = 0; mend && at < ids.length; at += screeningsAtOnce)
    left.push(...(await takeOver(pipeline, forgotten, new Set(ids.slice(at, at + screeningsAtOnce)))));
  const decisions = [...forgotten.values()].flatMap((own) => [...own.values()]);
  return [
    ...differencesOf([...other], { about: 'broker', state: 'named' }, { detail: (text) => `screening ${text}`, rest: moreOfThese }),
    ...differencesOf(
      decisions,
      { about: 'broker', state: 'mended' },
      {
        detail: ({ screening_id, revision, action }) =>
          `screening ${screening_id} was decided ${action} in revision ${revision}; it is taken over as it stands`,
        rest: moreOfThese,
      },
    ),
    ...left,
  ];
}

async function takeOver(
  { pool, log, codec }: OpenPipeline,
  forgotten: ReadonlyMap<string, ReadonlyMap<number, ScreeningDecided>>,
  ids: ReadonlySet<string>,
): Promise<Difference[]> {
  const results = new Map<string, ScreeningScored[]>();
  for await (const page of decoded(log, codec, 'screenings.scored'))
    for (const result of page)
      if (ids.has(result.screening_id)) results.set(result.screening_id, [...(results.get(result.screening_id) ?? []), result]);
  const all = [...ids].map((screening_id) => ({
    screening_id,
    decisions: [...(forgotten.get(screening_id)?.values() ?? [])].sort((a, b) => a.revision - b.revision),
    results: results.get(screening_id) ?? [],
  }));
  const { unexplained, left } = await takeOverDecisions(pool, codec, all);
  const found = (why: string) => ({
    detail: ({ screening_id, revision }: ScreeningDecided) => `decision ${revision} of screening ${screening_id} ${why}`,
    rest: moreOfThese,
  });
  const named = { about: 'broker', state: 'named' } as const;
  return [
    ...differencesOf(unexplained, named, found('is taken over without evidence: no published result gives it under a policy that is kept')),
    ...differencesOf(left, named, found('is not taken over: a revision before it is missing')),
  ];
}

async function compareEvents({ pool, log }: OpenPipeline, mend: boolean): Promise<Difference[]> {
  const differences: Difference[] = [];
  for (const topic of topics) {
    let count = 0;
    for await (const page of pagesOf(log, topic)) count += await pinPublished(pool, page, mend);
    const detail = `${count} events of ${topic} were forgotten; their bytes are kept`;
    if (count > 0) differences.push({ about: 'broker', state: 'mended', detail });
  }
  return differences;
}

async function compareOffsets({ pool, log }: OpenPipeline, mend: boolean): Promise<Difference[]> {
  const ahead: LogGap[] = [];
  for (const group of consumerGroups) ahead.push(...(await findAhead(pool, log, group)));
  if (mend) await moveBack(log, ahead);
  return ahead.map(({ group, topic, partition, missing, available }) => ({
    about: 'broker',
    state: 'mended',
    detail: `${group} had read ${topic}/${partition} up to ${missing}; it goes on at ${available}`,
  }));
}

async function moveBack(log: OpenPipeline['log'], ahead: readonly LogGap[]): Promise<void> {
  const end = systemClock.monotonic() + membersGoneMs;
  for (;;) {
    try {
      return await log.resume(ahead);
    } catch (error) {
      const isActive = error instanceof EventLogError && error.code === 'GROUP_ACTIVE';
      if (!isActive || systemClock.monotonic() > end) throw error;
      await systemClock.sleep(1_000);
    }
  }
}

const moreOfThese = (count: number): string => `${count} more of these`;

/** Pages of a topic, without what is a dead letter already. */
async function* decoded<T extends 'screenings.scored' | 'screenings.decided'>(
  log: OpenPipeline['log'],
  codec: OpenPipeline['codec'],
  topic: T,
): AsyncGenerator<TopicRecords[T][]> {
  for await (const page of pagesOf(log, topic)) {
    const events = await Promise.all(page.map((record) => codec.decode(topic, record.value).catch(ignoreUndecodable)));
    yield events.filter((each) => each !== undefined);
  }
}

async function* pagesOf(log: OpenPipeline['log'], topic: Topic): AsyncGenerator<LogRecord[]> {
  for (let partition = 0; partition < (await log.partitions(topic)); partition += 1) {
    for (let from = 0n; ; ) {
      const page = await log.read(topic, partition, from, pageSize);
      const last = page.at(-1);
      if (last === undefined) break;
      yield page;
      from = last.offset + 1n;
    }
  }
}

function ignoreUndecodable(error: unknown): undefined {
  if (!(error instanceof UndecodableRecord)) throw error;
}
