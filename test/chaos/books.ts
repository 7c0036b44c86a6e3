import { systemClock } from '@weir/clock';
import { type Topic, topics } from '@weir/contracts';
import { connectToRunning } from '@weir/postgres';
import { createLogger, type OpenPipeline, openPipeline } from '@weir/service-kit';

/** What the books say of a run. Everything but `decided` must be zero or empty. */
export interface Books {
  readonly decided: number;
  /** Acknowledged, but without a decision. */
  readonly lost: string[];
  /** Screenings with two decisions of one revision, or a gap between revisions. */
  readonly twice: string[];
  /** Decisions that were published with two different contents. */
  readonly contradicted: string[];
  /** Decisions that stand in the database and were never published, or the other way round. */
  readonly unpublished: string[];
  /** Decisions that allow without a level. */
  readonly unfounded: string[];
  /** Decided events that the audit log lacks, or has more than once. */
  readonly auditGaps: string[];
  readonly deadLetters: number;
}

/** Waits until each of `screenings` is decided and the audit log has caught up (or `timeoutMs` has passed), then reads the books. */
export async function readBooks(dataDir: string, screenings: readonly string[], timeoutMs: number): Promise<Books> {
  const url = connectToRunning(dataDir);
  if (url === undefined) throw new Error('the installation does not run');
  const logger = createLogger({ service: 'books', level: 'silent' });
  const pipeline = await openPipeline({ databaseUrl: url, clock: systemClock, logger, poolSize: 2, retentionMs: 3_600_000 });
  try {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const books = await read(pipeline, screenings);
      const settled = books.lost.length + books.unpublished.length + books.auditGaps.length === 0;
      if (settled || performance.now() > end) return books;
      await systemClock.sleep(500);
    }
  } finally {
    await pipeline.close();
  }
}

async function read(pipeline: OpenPipeline, screenings: readonly string[]): Promise<Books> {
  const { pool } = pipeline;
  const ids = async (sql: string): Promise<string[]> => (await pool.query<{ id: string }>(sql)).rows.map((row) => row.id);
  const made = new Set(await ids('SELECT event_id::text AS id FROM decision.decisions'));
  const decided = new Set(await ids('SELECT DISTINCT screening_id::text AS id FROM decision.decisions'));
  const published = new Map<string, Set<string>>();
  const unfounded: string[] = [];
  for (const { headers, value } of await everything(pipeline, 'screenings.decided')) {
    const id = headers['ce_id'] ?? '';
    published.set(id, (published.get(id) ?? new Set()).add(value.toString('base64')));
    const decision = await pipeline.codec.decode('screenings.decided', value);
    if (decision.action === 'allow' && decision.risk_level === null) unfounded.push(decision.screening_id);
  }
  return {
    decided: decided.size,
    lost: screenings.filter((id) => !decided.has(id)),
    twice: await ids(
      `SELECT screening_id::text AS id FROM decision.decisions GROUP BY screening_id
       HAVING count(*) <> count(DISTINCT revision) OR min(revision) <> 1 OR max(revision) <> count(*)`,
    ),
    contradicted: [...published].filter(([, contents]) => contents.size > 1).map(([id]) => id),
    unpublished: [...made].filter((id) => !published.has(id)).concat([...published.keys()].filter((id) => !made.has(id))),
    unfounded,
    auditGaps: await ids(
      `SELECT d.event_id::text AS id FROM decision.decisions d LEFT JOIN audit.entries a ON a.event_id = d.event_id
       GROUP BY d.event_id HAVING count(a.event_id) <> 1`,
    ),
    deadLetters: (await Promise.all(topics.map((topic) => everything(pipeline, `${topic}.dlq`)))).flat().length,
  };
}

async function everything({ log }: OpenPipeline, topic: Topic | `${Topic}.dlq`): Promise<Awaited<ReturnType<OpenPipeline['log']['read']>>> {
  const found = [];
  for (let partition = 0; partition < (await log.partitions(topic)); partition += 1) {
    let from = 0n;
    for (;;) {
      const page = await log.read(topic, partition, from, 1_000);
      found.push(...page);
      const last = page.at(-1);
      if (last === undefined) break;
      from = last.offset + 1n;
    }
  }
  return found;
}
