import { eventId, type ScreeningRequested } from '@weir/contracts';
import type { NewEvent } from './outbox-events.ts';

/** The event that requests a screening, first or renewed. Each allow is renewed once. `time`: Unix milliseconds. */
export function requestedEvent(request: ScreeningRequested, time: number): NewEvent<'screenings.requested'> {
  const { screening_id, attempt, renews_revision } = request;
  const cause = renews_revision === null || renews_revision === undefined ? [attempt] : ['renews', renews_revision];
  return {
    topic: 'screenings.requested',
    id: eventId('screenings.requested', screening_id, ...cause),
    key: request.transfer.source_id,
    screeningId: screening_id,
    time,
    data: request,
  };
}
