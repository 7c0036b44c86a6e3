import { prepared, type Queryable } from '@weir/postgres';
import { activeTraceparent } from '@weir/tracing';

/** Which labels: absent fields do not narrow. */
interface ChangeScope {
  readonly addresses?: readonly string[];
  readonly source?: string;
  readonly category?: string | undefined;
  /** From when on they no longer hold. */
  readonly at?: Date | undefined;
  readonly importKey?: string;
  /** Of the import's file. */
  readonly name?: string;
}

interface NewChange {
  /** `import`: one ended. `snapshot`: labels that it no longer has have ended. */
  readonly action: 'import' | 'snapshot' | 'end' | 'withdraw';
  readonly scope: ChangeScope;
  readonly labels: number;
  readonly person?: string;
  readonly reason?: string;
}

/** A row of `chain.label_changes`. */
export interface LabelChange {
  readonly id: number;
  readonly action: NewChange['action'];
  readonly scope: Omit<ChangeScope, 'at'> & { readonly at?: string };
  readonly labels: number;
  readonly person: string | null;
  readonly reason: string | null;
  readonly at: Date;
}

export interface TracedLabelChange extends LabelChange {
  /** Of the request that led to it. */
  readonly traceparent: string | null;
}

/** In the transaction of the change, which holds the lock `chain-import`: so ids commit in order. */
export async function recordChange(tx: Queryable, { action, scope, labels, person, reason }: NewChange): Promise<void> {
  await tx.query('INSERT INTO chain.label_changes (action, scope, labels, person, reason, traceparent) VALUES ($1, $2, $3, $4, $5, $6)', [
    action,
    JSON.stringify(scope),
    labels,
    person ?? null,
    reason ?? null,
    activeTraceparent() ?? null,
  ]);
}

const columns = 'id::float8, action, scope, labels::float8, person, reason, at';

/** The newest first. */
export async function latestLabelChanges(db: Queryable, limit: number): Promise<LabelChange[]> {
  const { rows } = await db.query<LabelChange & Record<string, unknown>>(
    `SELECT ${columns} FROM chain.label_changes ORDER BY id DESC LIMIT $1`,
    [limit],
  );
  return rows;
}

/** In order. A reader that has seen an id has seen all below it. */
export async function labelChangesAfter(db: Queryable, id: number, limit: number): Promise<TracedLabelChange[]> {
  const { rows } = await db.query<TracedLabelChange & Record<string, unknown>>(
    prepared(`SELECT ${columns}, traceparent FROM chain.label_changes WHERE id > $1 ORDER BY id LIMIT $2`),
    [id, limit],
  );
  return rows;
}
