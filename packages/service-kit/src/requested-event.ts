import { eventId, type ScreeningRequested } from '@weir/contracts';
import type { NewEvent } from './outbox.ts';

/** The event that asks for a screening, for the first time or again. `time`: Unix milliseconds. */
export function requestedEvent(request: ScreeningRequested, time: number): NewEvent<'screenings.requested'> {
  return {
    topic: 'screenings.requested',
    id: eventId('screenings.requested', request.screening_id, request.attempt),
    key: request.transfer.source_id,
    screeningId: request.screening_id,
    time,
    data: request,
  };
}
