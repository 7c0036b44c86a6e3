import { eventId, type ScreeningDecided } from '@weir/contracts';
import type { NewEvent } from '@weir/service-kit';

export function decidedEvent(decided: ScreeningDecided): NewEvent<'screenings.decided'> {
  return {
    topic: 'screenings.decided',
    id: eventId('screenings.decided', decided.screening_id, decided.revision),
    key: decided.transfer.source_id,
    screeningId: decided.screening_id,
    time: decided.decided_at,
    data: decided,
  };
}
