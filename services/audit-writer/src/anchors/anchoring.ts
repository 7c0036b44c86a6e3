import { consistencyProof, hashesOfConsistency } from '@weir/audit-log';
import { type Clock, repeat } from '@weir/clock';
import type { Pool } from '@weir/postgres';
import type { Jobs, Logger } from '@weir/service-kit';
import type { SignedCheckpoint } from '../checkpoints.ts';
import { readHashes } from '../tree-hashes.ts';
import { type Anchor, AnchorError } from './anchor.ts';

interface AnchoringOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly jobs: Jobs;
  readonly anchors: readonly Anchor[];
  /** Milliseconds between two copies at one place. */
  readonly every: number;
  readonly latest: () => SignedCheckpoint | undefined;
}

/** After a failure the place is tried again in a tenth of the interval. */
const retryShare = 0.1;
const clockSlackMs = 60_000;

/** Hands the latest checkpoint to each place on a schedule, once for all replicas, if the tree has grown. */
export class Anchoring {
  readonly #options: AnchoringOptions;
  readonly #errors = new Map<string, string>();

  constructor(options: AnchoringOptions) {
    this.#options = options;
  }

  /** Resolves when stopped. */
  run(signal: AbortSignal): Promise<void> {
    const { clock, every, logger } = this.#options;
    const onError = (err: unknown): void => logger.warn({ err }, 'the audit log could not be anchored; trying again');
    return repeat({ clock, every: Math.max(every * retryShare, 1), signal, onError }, () => this.anchorDue());
  }

  /** Places that failed last, for `/readyz`. */
  get warnings(): readonly string[] {
    return [...this.#errors].map(([name, error]) => `the audit log is not anchored at ${name}: ${error}`);
  }

  async anchorDue(): Promise<void> {
    await Promise.all(this.#options.anchors.map((anchor) => this.#anchorOne(anchor)));
  }

  async #anchorOne(anchor: Anchor): Promise<void> {
    const checkpoint = this.#options.latest();
    if (checkpoint === undefined) return;
    const from = await this.#claim(anchor);
    if (from === undefined) return;
    const { logger, jobs, every: everyMs } = this.#options;
    const job = { service: 'audit-writer', name: `anchor ${anchor.name}`, everyMs };
    await jobs
      .run(job, () => this.#keepAt(anchor, checkpoint, from))
      .catch(async (err: unknown) => {
        if (!(err instanceof AnchorError)) throw err;
        logger.error({ err, anchor: anchor.name }, 'the audit log could not be anchored; trying again');
        this.#errors.set(anchor.name, err.message);
        await this.#retryLater(anchor, err);
      });
  }

  async #keepAt(anchor: Anchor, checkpoint: SignedCheckpoint, from: number): Promise<void> {
    if (from === checkpoint.size) return;
    const { pool, clock } = this.#options;
    const note = await anchor.keep(checkpoint, {
      from,
      proofFrom: async (first) =>
        consistencyProof(first, checkpoint.size, await readHashes(pool, hashesOfConsistency(first, checkpoint.size))),
    });
    this.#errors.delete(anchor.name);
    await pool.query('UPDATE audit.anchors SET size = $2, note = $3, anchored_at = $4, error = NULL WHERE name = $1', [
      anchor.name,
      checkpoint.size,
      note,
      new Date(clock.now()),
    ]);
  }

  /**
   * Leaves of the last copy at the place if it is due, and nobody else's turn. A row that no schedule gives must not keep the place from its
   * copies: a time behind the next interval is due, and more leaves than the tree has are none.
   */
  async #claim({ name }: Anchor): Promise<number | undefined> {
    const { pool, clock, every } = this.#options;
    const { rows } = await pool.query<{ size: bigint }>(
      `INSERT INTO audit.anchors AS a (name, since, next_at) VALUES ($1, $2, $3)
       ON CONFLICT (name) DO UPDATE SET next_at = excluded.next_at WHERE a.next_at <= $2 OR a.next_at > $4
       RETURNING CASE WHEN a.size <= (SELECT size FROM audit.tree) THEN a.size ELSE 0 END AS size`,
      // Clocks of replicas differ, and so may their intervals during an upgrade.
      [name, new Date(clock.now()), new Date(clock.now() + every), new Date(clock.now() + every * 2 + clockSlackMs)],
    );
    return rows[0] === undefined ? undefined : Number(rows[0].size);
  }

  async #retryLater({ name }: Anchor, { message }: AnchorError): Promise<void> {
    const { pool, clock, every } = this.#options;
    await pool.query('UPDATE audit.anchors SET error = $2, next_at = $3 WHERE name = $1', [
      name,
      message,
      new Date(clock.now() + every * retryShare),
    ]);
  }
}

/** Size and age (seconds) of the last copy at each place; the age is 0 only while it covers exactly the whole tree. */
export async function readAnchored(pool: Pool, clock: Clock): Promise<ReadonlyMap<string, { size: number; age: number }>> {
  const { rows } = await pool.query<{ name: string; size: bigint; age: number }>(
    `SELECT a.name, a.size, CASE WHEN tree.size <> a.size THEN extract(epoch FROM $1::timestamptz - coalesce(a.anchored_at, a.since))::float8 ELSE 0 END AS age
     FROM audit.anchors AS a, audit.tree`,
    [new Date(clock.now())],
  );
  return new Map(rows.map(({ name, size, age }) => [name, { size: Number(size), age }]));
}
