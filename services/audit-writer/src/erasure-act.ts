import { type ErasureAct, formatRanges } from '@weir/audit-log';
import type { ActivityRecorded } from '@weir/contracts';
import { isSamePerson, type Person } from '@weir/reviews';
import { type NewActivity, weir } from '@weir/service-kit';

/** Bytes of the names of entries in one act: an event has a limit. */
const mostNames = 100_000;
const dayMs = 86_400_000;

/** Why payloads are erased. */
export type ErasureCause =
  | { readonly kind: 'request'; readonly reason: string; readonly proposedBy: Person; readonly approvedBy: Person }
  | { readonly kind: 'retention'; readonly days: number; readonly before: Date };

/** The acts that name these entries, by ascending index; each is an event of its own. `ids` makes their event ids. */
export function erasureActs(
  { erasureId, cause, at }: { readonly erasureId: string; readonly cause: ErasureCause; readonly at: number },
  indexes: readonly number[],
  ids: () => string,
): { readonly activity: NewActivity & { readonly id: string }; readonly indexes: readonly number[] }[] {
  const step = Math.floor(mostNames / 17);
  return Array.from({ length: Math.ceil(indexes.length / step) }, (_, n) => {
    const own = indexes.slice(n * step, (n + 1) * step);
    const details = { ...detailsOf(cause), entries: formatRanges(own) };
    const by = cause.kind === 'request' ? cause.approvedBy : weir;
    const act = { action: 'personal_data_erased', subjectType: 'erasure', subject: erasureId, by, details, at } as const;
    return { activity: { ...act, id: ids() }, indexes: own };
  });
}

function detailsOf(cause: ErasureCause): Readonly<Record<string, string>> {
  if (cause.kind === 'retention') return { cause: 'retention', days: String(cause.days), before: cause.before.toISOString() };
  return { cause: 'request', reason: cause.reason, proposed_by: cause.proposedBy.id, proposed_by_name: cause.proposedBy.name };
}

/** The act that an event of `activities.recorded` is, with who made it. Undefined for other activities. */
export function erasureActOf(
  { event_id, index }: { readonly event_id: string; readonly index: number },
  activity: ActivityRecorded,
): (ErasureAct & { readonly text: string }) | undefined {
  if (activity.action !== 'personal_data_erased') return undefined;
  const {
    cause,
    entries = '',
    before = null,
    days,
    reason,
    ...proposed
  } = Object.fromEntries(activity.details.map(({ name, value }) => [name, value ?? '']));
  const act = { event_id, index, entries };
  if (cause === 'retention') {
    const limit = activity.recorded_at - Number(days) * dayMs;
    const isRight = before !== null && Date.parse(before) <= limit;
    const text = `retention of ${days} days, for events before ${before}`;
    return { ...act, before, text, problem: isRight ? undefined : 'that act of retention contradicts its own number of days' };
  }
  const by = { id: activity.person_id, name: activity.person_name };
  const first = { id: proposed['proposed_by'] ?? '', name: proposed['proposed_by_name'] ?? '' };
  const text = `request "${reason ?? ''}", proposed by ${first.name}, approved by ${by.name}`;
  return { ...act, before: null, text, problem: isSamePerson(by, first) ? 'one person alone made that act of erasure' : undefined };
}
