import { type Kind, screeningId, type Topic, UndecodableRecord } from '@weir/contracts';
import type { LogRecord } from '@weir/event-log';
import { kafkaTier, type OpenPipeline } from '@weir/service-kit';
import { type Difference, differencesOf } from './difference.ts';
import type { Reconciling } from './run.ts';

const pageSize = 500;

/** On PostgreSQL the log went back with the database. A broker still has what came after the point, and its groups have passed it. */
export async function compareBroker({ pipeline, settings, restored, mend }: Reconciling): Promise<Difference[]> {
  return restored && kafkaTier(settings) !== undefined ? compareTopics(pipeline, mend) : [];
}

/** Transfers in the topics that the database lacks are published again with the same bytes. Decisions that it lacks are named. */
export async function compareTopics(pipeline: OpenPipeline, mend: boolean): Promise<Difference[]> {
  return [
    ...(await compareTransfers(pipeline, 'deposits.detected', mend)),
    ...(await compareTransfers(pipeline, 'withdrawals.requested', mend)),
    ...(await compareDecisions(pipeline)),
  ];
}

async function compareTransfers({ pool, log, codec }: OpenPipeline, topic: 'deposits.detected' | 'withdrawals.requested', mend: boolean) {
  const seen = new Map<string, LogRecord>();
  for await (const page of pagesOf(log, topic)) {
    const found = await Promise.all(
      page.map(async (record) => {
        const data = await codec.decode(topic, record.value).catch(ignoreUndecodable);
        if (data === undefined) return undefined;
        const [kind, id]: [Kind, string] = 'deposit_id' in data ? ['deposit', data.deposit_id] : ['withdrawal', data.withdrawal_id];
        return { name: `${kind} ${id}`, screening: screeningId(kind, id), record };
      }),
    );
    const known = found.filter((each) => each !== undefined);
    const { rows } = await pool.query<{ id: string }>(
      'SELECT u.id FROM unnest($1::uuid[]) AS u(id) WHERE NOT EXISTS (SELECT FROM intake.transfers t WHERE t.screening_id = u.id)',
      [known.map(({ screening }) => screening)],
    );
    const missing = new Set(rows.map(({ id }) => id));
    // The first content of a transfer counts.
    for (const { name, screening, record } of known) if (missing.has(screening) && !seen.has(name)) seen.set(name, record);
  }
  const records = [...seen.values()];
  for (let at = 0; mend && at < records.length; at += pageSize) await log.publish(records.slice(at, at + pageSize).map(outgoing));
  const detail = (name: string): string => `${name} is in ${topic} alone; it is published again`;
  return differencesOf([...seen.keys()], { about: 'broker', state: 'mended' }, { detail, rest: moreOfThese });
}

const outgoing = ({ topic, key, value, headers }: LogRecord) => ({ topic, key, value, headers });

async function compareDecisions({ pool, log, codec }: OpenPipeline): Promise<Difference[]> {
  const topic = 'screenings.decided';
  const unknown = new Set<string>();
  for await (const page of pagesOf(log, topic)) {
    const decoded = await Promise.all(page.map(async (record) => codec.decode(topic, record.value).catch(ignoreUndecodable)));
    const decisions = decoded.filter((each) => each !== undefined);
    const { rows } = await pool.query<{ id: string; revision: number; action: string; stored: string | null }>(
      `SELECT u.id, u.revision, u.action, d.action AS stored FROM unnest($1::uuid[], $2::int[], $3::text[]) AS u(id, revision, action)
       LEFT JOIN decision.decisions d ON d.screening_id = u.id AND d.revision = u.revision WHERE d.action IS DISTINCT FROM u.action`,
      [decisions.map(({ screening_id }) => screening_id), decisions.map(({ revision }) => revision), decisions.map(({ action }) => action)],
    );
    for (const { id, revision, action, stored } of rows)
      unknown.add(`${id} was decided ${action} in revision ${revision}, and the database has ${stored ?? 'no such decision'}`);
  }
  const detail = (text: string): string => `screening ${text}`;
  return differencesOf([...unknown], { about: 'broker', state: 'named' }, { detail, rest: moreOfThese });
}

const moreOfThese = (count: number): string => `${count} more of these`;

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

/** A dead letter already. */
function ignoreUndecodable(error: unknown): undefined {
  if (!(error instanceof UndecodableRecord)) throw error;
}
