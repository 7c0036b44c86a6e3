import type { ReviewResolved } from '@weir/contracts';
import type { Queryable } from '@weir/postgres';

/** The columns of the console's view that these tests read. Every role may read it. */
export async function createResolutions(db: Queryable): Promise<void> {
  await db.query(`CREATE SCHEMA console; CREATE TABLE console.stored_resolutions (
    resolution_id uuid PRIMARY KEY, screening_id uuid NOT NULL, revision integer NOT NULL, action text NOT NULL, reason text NOT NULL,
    resolved_by text NOT NULL, resolved_by_name text NOT NULL, resolved_at timestamptz NOT NULL, needs_approval boolean NOT NULL,
    answer text, answered_by text, answered_by_name text, answered_at timestamptz);
    GRANT USAGE ON SCHEMA console TO PUBLIC; GRANT SELECT ON console.stored_resolutions TO PUBLIC`);
}

/** Stores a resolution as the console does before publishing: approved by two people of different names, or by one. */
export async function putResolution(
  db: Queryable,
  event: ReviewResolved,
  over: { needsApproval?: boolean; answer?: string | null; names?: readonly [string, string] } = {},
): Promise<void> {
  const { needsApproval = event.approver !== null, answer = 'approved', names = ['Ann', 'Ben'] } = over;
  await db.query(
    `INSERT INTO console.stored_resolutions VALUES ($1, $2, $3, $4, $5, $6, $7, to_timestamp($8 / 1000.0), $9, $10, $11, $12, to_timestamp($13 / 1000.0))`,
    [
      event.resolution_id,
      event.screening_id,
      event.revision,
      event.action,
      event.reason,
      event.reviewer,
      names[0],
      event.resolved_at,
      needsApproval,
      answer,
      event.approver,
      event.approver === null ? null : names[1],
      event.approved_at ?? event.resolved_at,
    ],
  );
}
