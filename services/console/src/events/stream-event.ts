import type { ActivityRecorded, Kind, ReviewResolved } from '@weir/contracts';
import type { StageEvent } from '@weir/service-kit';
import { deliveryOf } from '../webhooks/payload.ts';

/** What a stream reads, in the order of its ids. */
export const streamTopics = ['screenings.decided', 'reviews.resolved', 'activities.recorded'] as const;
export type StreamTopic = (typeof streamTopics)[number];
export type StreamRecord = { readonly [T in StreamTopic]: StageEvent<T> }[StreamTopic];

/** What a client may ask for, and where it is. */
export const families = ['screening', 'review', 'case', 'policy', 'label', 'health'] as const;
export type Family = (typeof families)[number];

const topicsOf: Readonly<Record<Family, readonly StreamTopic[]>> = {
  screening: ['screenings.decided'],
  review: ['reviews.resolved', 'activities.recorded'],
  case: ['activities.recorded'],
  policy: ['activities.recorded'],
  label: ['activities.recorded'],
  health: [],
};

export function isReadFor(topic: StreamTopic, wanted: readonly Family[]): boolean {
  return wanted.some((family) => topicsOf[family].includes(topic));
}

/** An event before it has its place. */
export interface EventBody {
  readonly family: Family;
  readonly type: string;
  /** JSON: type, timestamp (RFC 3339) and data. */
  readonly text: string;
  /** For the filters. Absent: it has none. */
  readonly kind?: Kind;
  readonly action?: string;
  readonly level?: string | null;
}

/** Undefined for an activity that no open page waits for. Texts of people are read from the API. */
export function eventBodyOf(event: StreamRecord): EventBody | undefined {
  if (event.topic === 'screenings.decided') {
    const { kind, action, risk_level: level } = event.data;
    return { family: 'screening', type: 'screening.decided', text: deliveryOf(event).body.toString(), kind, action, level };
  }
  return event.topic === 'reviews.resolved' ? resolved(event.data) : activityBodyOf(event.data);
}

function resolved({
  screening_id,
  revision,
  action,
  resolution_id,
  reviewer,
  approver,
  resolved_at,
  approved_at,
}: ReviewResolved): EventBody {
  const data = { screening_id, revision, action, resolution_id, resolved_by: reviewer, approved_by: approver };
  return { ...bodyOf('review', 'review.resolved', approved_at ?? resolved_at, data), action };
}

/** With the name of the subject in the data. */
const subjects: Readonly<Record<string, { readonly family: Family; readonly id: string }>> = {
  screening: { family: 'review', id: 'screening_id' },
  case: { family: 'case', id: 'case_id' },
  policy: { family: 'policy', id: 'policy_hash' },
  labels: { family: 'label', id: 'request_id' },
};
const acts: Readonly<Record<string, string>> = {
  note_added: 'noted',
  assigned: 'assigned',
  due_set: 'due_set',
  outcome_set: 'outcome_set',
  attachment_added: 'attachment_added',
  case_escalated: 'escalated',
  policy_proposed: 'proposed',
  policy_rejected: 'rejected',
  policy_activated: 'activated',
  policy_shadowed: 'shadowed',
  label_change_requested: 'change_requested',
  label_change_answered: 'change_answered',
};
const written = new Set(['text', 'reason']);

function activityBodyOf(activity: ActivityRecorded): EventBody | undefined {
  const { activity_id, action, subject_type, subject, person_id, person_name, details, recorded_at } = activity;
  const act = acts[action];
  const about = subjects[subject_type];
  if (act === undefined || about === undefined) return undefined;
  const { family, id } = about;
  const isOfWork = family === 'review' || family === 'case';
  const shown = Object.fromEntries(
    isOfWork ? details.filter(({ name }) => !written.has(name)).map(({ name, value }) => [name, value]) : [],
  );
  const data = { activity_id, [id]: subject, person: { id: person_id, name: person_name }, ...shown };
  return bodyOf(family, `${family}.${act}`, recorded_at, data);
}

export function healthBody(now: number, data: object): EventBody {
  return bodyOf('health', 'health.changed', now, data);
}

function bodyOf(family: Family, type: string, at: number, data: object): EventBody {
  return { family, type, text: JSON.stringify({ type, timestamp: new Date(at).toISOString(), data }) };
}
