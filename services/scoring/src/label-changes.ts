import { type LabelChange, labelChangesAfter, type TracedLabelChange } from '@weir/chain-store';
import { eventId, type LabelsChanged } from '@weir/contracts';
import { type Pool, type Queryable, prepared, transaction } from '@weir/postgres';
import type { NewEvent, Outbox } from '@weir/service-kit';

const pageSize = 500;
/** One key: changes of labels stay in order. */
const key = 'labels';

/**
 * Publishes the label changes of this database that were not published yet, for the audit log. The store writes each in the transaction of
 * the change, so none is lost. Returns their number.
 */
export async function publishLabelChanges(pool: Pool, outbox: Outbox): Promise<number> {
  const { count, events } = await transaction(pool, async (tx) => {
    // A risk API elsewhere has its own labels.
    if (!(await hasLabelChanges(tx))) return nothing;
    const after = await lockPlace(tx);
    if (after === undefined) return nothing;
    const changes = await labelChangesAfter(tx, after, pageSize);
    const last = changes.at(-1);
    if (last === undefined) return nothing;
    await tx.query(prepared('UPDATE scoring.published_label_changes SET id = $1'), [last.id]);
    return { count: changes.length, events: await outbox.store(tx, changes.map(toEvent)) };
  });
  await outbox.publish(events);
  return count;
}

const nothing = { count: 0, events: [] };

async function hasLabelChanges(tx: Queryable): Promise<boolean> {
  const { rows } = await tx.query<{ there: boolean }>(prepared(`SELECT to_regclass('chain.label_changes') IS NOT NULL AS there`));
  return rows[0]?.there === true;
}

/** The last published id; undefined while another replica publishes. */
async function lockPlace(tx: Queryable): Promise<number | undefined> {
  const { rows } = await tx.query<{ id: number }>(
    prepared('SELECT id::float8 FROM scoring.published_label_changes FOR UPDATE SKIP LOCKED'),
  );
  return rows[0]?.id;
}

function toEvent(change: TracedLabelChange): NewEvent<'labels.changed'> {
  const { id, at, traceparent } = change;
  return {
    topic: 'labels.changed',
    // The time tells a restored database's numbers from those that it lost.
    id: eventId('labels.changed', id, at.getTime()),
    key,
    cause: traceparent ?? undefined,
    time: at.getTime(),
    data: recordOf(change),
  };
}

function recordOf({ id, action, scope, labels, person, reason, at }: LabelChange): LabelsChanged {
  return {
    change_id: id,
    action,
    labels,
    import_key: scope.importKey ?? null,
    file_name: scope.name ?? null,
    source: scope.source ?? null,
    category: scope.category ?? null,
    addresses: scope.addresses ?? [],
    ended_at: endOf(action, scope.at, at),
    person,
    reason,
    changed_at: at.getTime(),
  };
}

/** Without a time of its own an end is at once. */
function endOf(action: LabelChange['action'], text: string | undefined, at: Date): number | null {
  if (text !== undefined) return Date.parse(text);
  return action === 'end' ? at.getTime() : null;
}
