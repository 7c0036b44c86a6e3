import type { Action, ReviewResolved } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';

export interface StoredResolution extends Record<string, unknown> {
  readonly resolution_id: string;
  readonly screening_id: string;
  readonly revision: number;
  /** `review`: held again. */
  readonly action: Action;
  readonly reason: string;
  readonly resolved_by: string;
  readonly resolved_by_name: string;
  readonly resolved_at: Date;
  readonly needs_approval: boolean;
  /** Null until a second person answers. */
  readonly answer: 'approved' | 'rejected' | null;
  readonly answered_by: string | null;
  readonly answered_by_name: string | null;
  readonly answered_at: Date | null;
}

/** The event of an approved resolution. Every field derives from the stored one. */
export function eventOf(resolution: StoredResolution): ReviewResolved {
  const { screening_id, revision, action, resolved_by, answered_by, reason, resolved_at, resolution_id, answered_at } = resolution;
  return {
    screening_id,
    revision,
    action,
    reviewer: resolved_by,
    approver: answered_by,
    reason,
    resolved_at: resolved_at.getTime(),
    resolution_id,
    approved_at: answered_by === null ? null : (answered_at?.getTime() ?? null),
  };
}

/** By id, through the console's view. Without a console there are no resolutions. */
export async function findResolutions(db: Queryable, ids: readonly string[]): Promise<Map<string, StoredResolution>> {
  if (ids.length === 0 || !(await hasConsole(db))) return new Map();
  const { rows } = await db.query<StoredResolution>(
    prepared(`SELECT resolution_id, screening_id, revision, action, reason, resolved_by, resolved_by_name, resolved_at, needs_approval,
       answer, answered_by, answered_by_name, answered_at
     FROM console.stored_resolutions WHERE resolution_id = ANY($1::uuid[])`),
    [ids],
  );
  return new Map(rows.map((row) => [row.resolution_id, row]));
}

async function hasConsole(db: Queryable): Promise<boolean> {
  const { rows } = await db.query<{ there: boolean }>(prepared(`SELECT to_regclass('console.stored_resolutions') IS NOT NULL AS there`));
  return rows[0]?.there === true;
}
