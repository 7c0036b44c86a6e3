import { advisoryLock, type Pool, transaction } from '@weir/postgres';

interface Place {
  readonly subject: string;
  readonly chain: string;
  readonly kind: string;
  readonly direction: string;
}

const beginning: Place = { subject: '', chain: '', kind: '', direction: '' };
const place = 'subject, chain, kind, direction';

/**
 * Drops expired watches, and index entries of subjects that nobody watches. It walks the index in steps of `limit` subjects, because most
 * are watched.
 */
export class ChangesSweep {
  readonly #pool: Pool;
  #after: Place = beginning;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async sweep(options: { askedBefore: Date; limit: number }): Promise<number> {
    const watches = await this.#pool.query(
      `DELETE FROM risk.watches WHERE ctid = ANY (ARRAY(
         SELECT ctid FROM risk.watches WHERE asked_at <= $1 ORDER BY asked_at LIMIT $2 FOR UPDATE SKIP LOCKED))`,
      [options.askedBefore, options.limit],
    );
    return (watches.rowCount ?? 0) + (await this.#sweepIndex(options.limit));
  }

  async #sweepIndex(limit: number): Promise<number> {
    const after = [this.#after.subject, this.#after.chain, this.#after.kind, this.#after.direction];
    const { rows } = await this.#pool.query<Place & { readonly [column: string]: unknown }>(
      `SELECT ${place} FROM risk.reached WHERE (${place}) > ($1, $2, $3, $4) ORDER BY ${place} OFFSET $5 LIMIT 1`,
      [...after, limit - 1],
    );
    const [last] = rows;
    const through = [last?.subject ?? null, last?.chain ?? null, last?.kind ?? null, last?.direction ?? null];
    const { rowCount } = await transaction(this.#pool, async (tx) => {
      await tx.query(`SELECT ${advisoryLock('score-storage')}`);
      // A stored score may still answer a call, so it must stay in the index.
      return tx.query(
        `DELETE FROM risk.reached r WHERE (${place}) > ($1, $2, $3, $4) AND ($5::text IS NULL OR (${place}) <= ($5, $6, $7, $8))
           AND NOT EXISTS (SELECT FROM risk.watches w WHERE (w.subject, w.chain, w.kind, w.direction) = (r.subject, r.chain, r.kind, r.direction))
           AND NOT EXISTS (SELECT FROM risk.runs o WHERE (o.chain, o.kind, o.subject, o.direction) = (r.chain, r.kind, r.subject, r.direction))`,
        [...after, ...through],
      );
    });
    this.#after = last ?? beginning;
    return rowCount ?? 0;
  }
}
