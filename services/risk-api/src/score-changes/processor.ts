import { type Clock, repeat } from '@weir/clock';
import { advisoryLock, type Pool, type Queryable, transaction } from '@weir/postgres';
import type { Logger } from '@weir/service-kit';

export interface ProcessorOptions {
  readonly pool: Pool;
  readonly clock: Clock;
  /** Delays a label's own start or end by this time, until every replica's clock has passed it. */
  readonly clocksAgreeMs: number;
  /** Number of notifications, one for each key and subject. */
  readonly onNotified: (notified: number) => void;
}

/** Bounds of one transaction: label changes taken, label changes expanded, their edges, places of transfers, published subjects. */
const bounds = { taken: 10_000, changes: 200, edges: 20_000, places: 5_000, subjects: 500 } as const;
/** Normally milliseconds. 20,000 edges that each reach a hundred more subjects take minutes. */
const statementTimeoutMs = 600_000;

/**
 * Finds the scores that read changed labels or places, and notifies the keys that asked for them. Each step is one transaction, so a
 * restart continues after the last one. One replica works at a time.
 */
export class ChangeProcessor {
  readonly #options: ProcessorOptions;

  constructor(options: ProcessorOptions) {
    this.#options = options;
  }

  /** Returns whether more may be left. */
  async step(): Promise<boolean> {
    const { clock, onNotified } = this.#options;
    const now = new Date(clock.now());
    const dueBefore = new Date(clock.now() - this.#options.clocksAgreeMs);
    const todo = await this.#todo(dueBefore);
    if (todo === undefined || !(todo.due || todo.taken || todo.places || todo.subjects)) return false;
    const took = todo.due && (await this.#inTurn((tx) => tx.query('SELECT risk.take_label_changes($1, $2)', [dueBefore, bounds.taken])));
    if (took || todo.taken) {
      await this.#inTurn((tx) => tx.query('SELECT risk.expand_label_changes($1, $2)', [bounds.changes, bounds.edges]));
    }
    const looked = todo.places ? await this.#lookAtPlaces() : 0;
    // An import holds the rest.
    if (!(todo.due || todo.taken || todo.subjects) && looked === 0) return false;
    let notified = 0;
    const isMine = await this.#inTurn(async (tx) => {
      const { rows } = await tx.query<{ notified: number }>('SELECT notified FROM risk.notify_changed_subjects($1, $2)', [
        now,
        bounds.subjects,
      ]);
      notified = rows[0]?.notified ?? 0;
    });
    if (notified > 0) onNotified(notified);
    return isMine;
  }

  async #lookAtPlaces(): Promise<number> {
    await this.#inTurn((tx) => tx.query('SELECT risk.take_changed_places()'));
    let looked = 0;
    await this.#inTurn(async (tx) => {
      const { rows } = await tx.query<{ looked: number }>('SELECT risk.expand_changed_places($1) AS looked', [bounds.places]);
      looked = rows[0]?.looked ?? 0;
    });
    return looked;
  }

  async #todo(dueBefore: Date): Promise<{ due: boolean; taken: boolean; places: boolean; subjects: boolean } | undefined> {
    const { rows } = await this.#options.pool.query<{ due: boolean; taken: boolean; places: boolean; subjects: boolean }>(
      `SELECT EXISTS (SELECT FROM risk.label_changes WHERE NOT taken AND (due_at IS NULL OR due_at <= $1)) AS due,
         EXISTS (SELECT FROM risk.label_changes WHERE taken) AS taken,
         EXISTS (SELECT FROM risk.changed_places) AS places, EXISTS (SELECT FROM risk.changed_subjects) AS subjects`,
      [dueBefore],
    );
    return rows[0];
  }

  #inTurn(work: (tx: Queryable) => Promise<unknown>): Promise<boolean> {
    const inTurn = async (tx: Queryable): Promise<boolean> => {
      const { rows } = await tx.query<{ mine: boolean }>(`SELECT ${advisoryLock('label-changes', 'try')} AS mine`);
      if (rows[0]?.mine !== true) return false;
      await work(tx);
      return true;
    };
    return transaction(this.#options.pool, inTurn, { statementTimeoutMs });
  }
}

/** Latency of a change; a poll costs one statement. */
const pollMs = 1_000;

export async function keepTelling(
  processor: ChangeProcessor,
  options: { clock: Clock; logger: Logger; signal: AbortSignal },
): Promise<void> {
  const { clock, logger, signal } = options;
  const onError = (error: unknown): void => logger.warn({ err: error }, 'changed labels could not be looked at; they will be again');
  await repeat({ clock, every: pollMs, signal, onError }, async () => ((await processor.step()) ? 0 : undefined));
}
