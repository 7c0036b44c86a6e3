import { type Pool, transaction } from '@weir/postgres';
import { type NewEvent, type Outbox, type TakenActivity, takeActivities } from '@weir/service-kit';

const pageSize = 500;

/** Publishes the recorded activities that were not published yet, for the audit log. Returns their number. */
export async function publishActivities(pool: Pool, outbox: Outbox): Promise<number> {
  const { count, events } = await transaction(pool, async (tx) => {
    const taken = await takeActivities(tx, pageSize);
    return { count: taken.length, events: taken.length === 0 ? [] : await outbox.store(tx, taken.map(toEvent)) };
  });
  if (events.length > 0) await outbox.publish(events);
  return count;
}

function toEvent({ activity, cause }: TakenActivity): NewEvent<'activities.recorded'> {
  const { activity_id: id, subject: key, subject_type: type, recorded_at: time } = activity;
  return { topic: 'activities.recorded', id, key, ...(type === 'screening' ? { screeningId: key } : { cause }), time, data: activity };
}
