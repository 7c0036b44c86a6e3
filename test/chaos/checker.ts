import { createHash } from 'node:crypto';
import { systemClock } from '@weir/clock';
import { eventId, type RiskLevel, topics } from '@weir/contracts';
import type { OpenPipeline } from '@weir/service-kit';
import { CheckpointWatch } from './checkpoints.ts';
import type { Deployment } from './deployment.ts';
import { levelOf as chaosLevelOf } from './levels.ts';
import { TopicReader } from './topic-reader.ts';

/** The checker's results for a set of transfers. Every list must be empty. */
export interface Findings {
  readonly decided: number;
  readonly revised: number;
  /** Acknowledged transfers without a decision. */
  readonly lost: readonly string[];
  /** Screenings with two decisions of one revision or one cause, or a gap between revisions. */
  readonly twice: readonly string[];
  readonly contradicted: readonly string[];
  /** Decisions in the database that no topic holds, or the reverse. */
  readonly unpublished: readonly string[];
  /** Decisions that allow without a result and its level, or that use another subject's result. */
  readonly unfounded: readonly string[];
  /** Events that the audit log lacks or holds more than once. */
  readonly auditGaps: readonly string[];
  /** Rows of the audit log that do not give its signed trees. Read when nothing else is wrong. */
  readonly auditProblems: readonly string[];
  /** Screenings whose state in the console or the gate differs from the last decision. */
  readonly misstated: readonly string[];
  /** Dead letters that are not the run's garbage, and garbage that never became a dead letter. */
  readonly strayLetters: readonly string[];
}

/** What the checker reads of a deployment. */
type Checked = Pick<Deployment, 'auditDir' | 'open'>;
/** The level that the risk API gives to a subject; null: it knows nothing of it. */
type LevelOf = (subject: string) => RiskLevel | null;

/** Keeps the topic records that it has read. */
export class History {
  /** Of the whole invocation. */
  readonly checkpoints: CheckpointWatch;
  readonly #deployment: Checked;
  readonly #levelOf: LevelOf;
  readonly #decided = new TopicReader('screenings.decided');
  readonly #letters = topics.map((topic) => new TopicReader(`${topic}.dlq`));
  /** By the id of the decision's event. */
  readonly #published = new Map<string, Published>();
  readonly #dead = new Set<string>();

  constructor(deployment: Checked, levelOf: LevelOf = chaosLevelOf) {
    this.#deployment = deployment;
    this.#levelOf = levelOf;
    this.checkpoints = new CheckpointWatch(deployment.auditDir);
  }

  /** Polls until no violation is left for these transfers (the exchange's ids by screening), or `timeoutMs` has passed. */
  async read(
    transfers: ReadonlyMap<string, string>,
    garbage: ReadonlySet<string>,
    timeoutMs: number,
    onViolations?: (findings: Findings) => void,
  ): Promise<Findings> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const findings = await this.#look(transfers, garbage).catch((error: unknown) => {
        // A process that was killed last may still be starting.
        if (performance.now() > end) throw error;
        return undefined;
      });
      if (findings !== undefined && (faultsOf(findings).length === 0 || performance.now() > end)) return findings;
      if (findings !== undefined) onViolations?.(findings);
      await systemClock.sleep(1_000);
    }
  }

  async #look(transfers: ReadonlyMap<string, string>, garbage: ReadonlySet<string>): Promise<Findings> {
    const pipeline = await this.#deployment.open();
    try {
      const findings = await this.#readOnce(pipeline, transfers, garbage);
      return faultsOf(findings).length > 0 ? findings : { ...findings, auditProblems: await this.checkpoints.problems(pipeline.pool) };
    } finally {
      await pipeline.close();
    }
  }

  async #readOnce(pipeline: OpenPipeline, transfers: ReadonlyMap<string, string>, garbage: ReadonlySet<string>): Promise<Findings> {
    const screenings = [...transfers.keys()];
    const keys = [...transfers.values()];
    const ids = async (sql: string, given: readonly string[] = screenings): Promise<string[]> =>
      (await inPages(given, (page) => pipeline.pool.query<{ id: string }>(sql, [page]).then(({ rows }) => rows))).map(({ id }) => id);
    // Read topics after the database: every decision found there must be published by now.
    const made = await inPages(screenings, async (page) => {
      const { rows } = await pipeline.pool.query<{ id: string; screening: string; revision: number }>(
        'SELECT event_id::text AS id, screening_id::text AS screening, revision FROM decision.decisions WHERE screening_id = ANY($1::uuid[])',
        [page],
      );
      return rows;
    });
    await this.#readTopics(pipeline);
    const own = [...this.#published].filter(([, { screening }]) => transfers.has(screening));
    const makers = new Map(made.map(({ id, screening }) => [id, screening]));
    const unknown = own.map(([id]) => id).filter((id) => !makers.has(id));
    const since = new Set(await ids('SELECT event_id::text AS id FROM decision.decisions WHERE event_id = ANY($1::uuid[])', unknown));
    const decided = new Set(makers.values());
    const missing = await inPages(screenings, async (page) => ids(auditStoredSql, await storedEvents(pipeline, page)));
    const { rows: gaps } = await pipeline.pool.query<{ id: string }>(auditIndexSql);
    return {
      decided: decided.size,
      revised: made.filter(({ revision }) => revision === 2).length,
      lost: screenings.filter((id) => !decided.has(id)),
      twice: await ids(twiceSql),
      contradicted: own.filter(([, { isContradicted }]) => isContradicted).map(([id]) => id),
      unpublished: [...makers.keys()].filter((id) => !this.#published.has(id)).concat(unknown.filter((id) => !since.has(id))),
      unfounded: own.filter(([, { unfounded }]) => unfounded).map(([id]) => id),
      auditGaps: (await ids(auditSql, keys)).concat(
        missing,
        await ids(auditStoredSql, [...makers.keys()]),
        gaps.map(({ id }) => id),
        await ids(auditConflictSql),
      ),
      auditProblems: [],
      misstated: (await ids(consoleSql)).concat(await ids(gateSql)),
      strayLetters: [...this.#dead].filter((value) => !garbage.has(value)).concat([...garbage].filter((value) => !this.#dead.has(value))),
    };
  }

  /** Reads the decisions published since, for a run whose topics lose their oldest records before its end. */
  async follow(pipeline: OpenPipeline): Promise<void> {
    await this.#readDecided(pipeline);
  }

  async #readTopics(pipeline: OpenPipeline): Promise<void> {
    for (const letters of this.#letters) {
      for (const { value } of await letters.next(pipeline.log)) this.#dead.add(value.toString('base64'));
    }
    await this.#readDecided(pipeline);
  }

  async #readDecided(pipeline: OpenPipeline): Promise<void> {
    for (const { headers, value } of await this.#decided.next(pipeline.log)) {
      const id = headers['ce_id'] ?? '';
      const decision = await pipeline.codec.decode('screenings.decided', value);
      const { transfer, outcome, action, risk_level } = decision;
      const level = this.#levelOf((transfer.kind === 'deposit' ? transfer.from_address : transfer.to_address) ?? '');
      const unfounded = outcome === 'SCORED' ? risk_level !== level : action === 'allow' || risk_level !== null;
      const digest = createHash('sha256').update(value).digest('base64');
      const known = this.#published.get(id);
      const isContradicted = known !== undefined && (known.isContradicted || known.digest !== digest);
      this.#published.set(id, { screening: decision.screening_id, digest, isContradicted, unfounded });
    }
  }
}

/** One of a hundred thousand, so the content is kept as its digest. */
interface Published {
  readonly screening: string;
  readonly digest: string;
  readonly isContradicted: boolean;
  readonly unfounded: boolean;
}

const pageSize = 5_000;

/** One statement for each page, and all that they found. */
async function inPages<T>(all: readonly string[], read: (page: readonly string[]) => Promise<readonly T[]>): Promise<T[]> {
  const found: T[][] = [];
  for (let from = 0; from < all.length; from += pageSize) found.push([...(await read(all.slice(from, from + pageSize)))]);
  return found.flat();
}

/** Ids of the first requests and the results that the tables of intake and scoring stand for. */
async function storedEvents({ pool }: OpenPipeline, screenings: readonly string[]): Promise<string[]> {
  const { rows: requests } = await pool.query<{ id: string }>(
    'SELECT screening_id::text AS id FROM intake.transfers WHERE screening_id = ANY($1::uuid[])',
    [screenings],
  );
  const { rows: results } = await pool.query<{ id: string; attempt: number; nth: number }>(
    `SELECT screening_id::text AS id, attempt, nth FROM scoring.screenings, generate_series(1, sequence) AS nth
     WHERE screening_id = ANY($1::uuid[])`,
    [screenings],
  );
  return [
    ...requests.map(({ id }) => eventId('screenings.requested', id, 1)),
    ...results.map(({ id, attempt, nth }) => eventId('screenings.scored', id, attempt, nth)),
  ];
}

export function faultsOf(findings: Findings): [string, readonly string[]][] {
  return Object.entries(findings).filter((entry): entry is [string, readonly string[]] => Array.isArray(entry[1]) && entry[1].length > 0);
}

const twiceSql = `
  SELECT screening_id::text AS id FROM decision.decisions WHERE screening_id = ANY($1::uuid[]) GROUP BY screening_id
  HAVING count(*) <> count(DISTINCT revision) OR count(*) <> count(DISTINCT cause) OR min(revision) <> 1 OR max(revision) <> count(*)`;
/** Events are in the outbox on Kafka, and in the log on PostgreSQL. */
const auditSql = `
  SELECT e.event_id::text AS id FROM (
    SELECT event_id FROM outbox.events WHERE key = ANY($1::text[])
    UNION SELECT (r.headers ->> 'ce_id')::uuid FROM log.records r JOIN log.topics t ON t.id = r.topic
    WHERE r.key = ANY($1::text[]) AND r.headers ? 'ce_id' AND t.name NOT LIKE '%.dlq') e
  LEFT JOIN audit.entries a ON a.event_id = e.event_id GROUP BY e.event_id HAVING count(a.event_id) <> 1`;
const auditStoredSql = `
  SELECT e.event_id::text AS id FROM unnest($1::uuid[]) e(event_id) LEFT JOIN audit.entries a ON a.event_id = e.event_id
  GROUP BY e.event_id HAVING count(a.event_id) <> 1`;
const auditIndexSql = `
  SELECT 'index' AS id FROM audit.entries HAVING count(*) <> coalesce(max(index) + 1, 0)`;
/** Two contents under one event id. */
const auditConflictSql = `
  SELECT event_id::text AS id FROM audit.entries WHERE conflicts_with IS NOT NULL AND screening_id = ANY($1::uuid[])`;
const consoleSql = `
  SELECT s.screening_id::text AS id FROM decision.screenings s LEFT JOIN console.screenings c ON c.screening_id = s.screening_id
  WHERE s.screening_id = ANY($1::uuid[]) AND (s.revision, s.action) IS DISTINCT FROM (c.revision, c.action)`;
const gateSql = `
  SELECT s.screening_id::text AS id FROM decision.screenings s LEFT JOIN gate.withdrawals w ON w.withdrawal_id = s.transfer ->> 'source_id'
  WHERE s.screening_id = ANY($1::uuid[]) AND s.kind = 'withdrawal' AND (w.revision IS DISTINCT FROM s.revision OR w.status IS DISTINCT FROM
    CASE s.action WHEN 'allow' THEN 'allowed' WHEN 'review' THEN 'held' WHEN 'block' THEN 'blocked' END)`;
