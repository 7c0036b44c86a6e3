import type { ActivityRecorded } from '@weir/contracts';
import { prepared, type Queryable } from '@weir/postgres';
import { activeTraceparent } from '@weir/tracing';

/** Acts of people, as `action` of activities.recorded. */
export const activityActions = [
  'database_restored',
  'note_added',
  'assigned',
  'due_set',
  'outcome_set',
  'attachment_added',
  'case_escalated',
  'policy_proposed',
  'policy_rejected',
  'policy_activated',
  'policy_shadowed',
  'key_created',
  'key_revoked',
  'session_ended',
  'coin_added',
  'coin_removed',
  'addresses_watched',
  'addresses_unwatched',
  'webhook_retried',
  'webhooks_ended',
  'settings_changed',
  'label_change_requested',
  'label_change_answered',
  'dead_letters_replayed',
  'gap_passed',
  'records_rebuilt',
  'transfers_imported',
  'erasure_proposed',
  'personal_data_erased',
] as const;

type ActivityAction = (typeof activityActions)[number];

/** An act of a person, for the audit log. */
export interface NewActivity {
  /** UUID, also of its event. Absent: a random one. */
  readonly id?: string;
  readonly action: ActivityAction;
  readonly subjectType:
    | 'screening'
    | 'case'
    | 'policy'
    | 'key'
    | 'session'
    | 'coin'
    | 'chain'
    | 'webhooks'
    | 'settings'
    | 'labels'
    | 'topic'
    | 'group'
    | 'import'
    | 'erasure';
  readonly subject: string;
  /** Role and id of the token, or `os:<name>` for the command line. */
  readonly by: { readonly id: string; readonly name: string };
  /** No secret. Null: taken away. */
  readonly details?: Readonly<Record<string, string | null>>;
  /** Unix milliseconds. */
  readonly at: number;
}

/** Stores the activity in the transaction of the act. The console publishes it. */
export async function recordActivity(tx: Queryable, activity: NewActivity): Promise<void> {
  const { id = null, action, subjectType, subject, by, details = {}, at } = activity;
  await tx.query(
    prepared(`INSERT INTO access.activities (action, subject_type, subject, person_id, person_name, details, recorded_at, traceparent, activity_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, coalesce($9::uuid, gen_random_uuid()))`),
    [
      action,
      subjectType,
      subject,
      by.id,
      by.name,
      JSON.stringify(Object.entries(details).map(([name, value]) => ({ name, value }))),
      new Date(at),
      activeTraceparent() ?? null,
      id,
    ],
  );
}

export interface TakenActivity {
  readonly activity: ActivityRecorded;
  /** The traceparent of the request that did it. */
  readonly cause: string | undefined;
}

/**
 * Marks up to `limit` activities as published, and returns them in their order. The caller stores their events in the same transaction.
 * Another replica waits, so that they stay in order.
 */
export async function takeActivities(tx: Queryable, limit: number): Promise<TakenActivity[]> {
  const { rows } = await tx.query<Omit<ActivityRecorded, 'recorded_at'> & { recorded_at: Date; traceparent: string | null }>(
    prepared(`WITH taken AS (
       UPDATE access.activities SET published = true
       WHERE number IN (SELECT number FROM access.activities WHERE NOT published ORDER BY number LIMIT $1 FOR UPDATE)
       RETURNING *)
     SELECT activity_id, action, subject_type, subject, person_id, person_name, details, recorded_at, traceparent FROM taken ORDER BY number`),
    [limit],
  );
  return rows.map(({ traceparent, ...row }) => ({
    activity: { ...row, recorded_at: row.recorded_at.getTime() },
    cause: traceparent ?? undefined,
  }));
}

/** Weir itself, where no person acts. */
export const weir = { id: 'weir', name: 'Weir' } as const;
