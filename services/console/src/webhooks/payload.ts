import { eventId, type Kind } from '@weir/contracts';
import type { StageEvent } from '@weir/service-kit';
import { screeningUpdateOf } from '../screening-update.ts';
import { shown } from '../query.ts';
import type { DecisionView } from '../view.ts';

/** A webhook's payload. It has no address, amount or user; receivers read those at `/v1/screenings/{screening_id}`. */
export interface WebhookPayload {
  readonly type: 'screening.decided';
  /** Time of the decision; RFC 3339. */
  readonly timestamp: string;
  readonly data: DecisionView & {
    readonly screening_id: string;
    readonly kind: Kind;
    /** The exchange's own id: deposit_id or withdrawal_id. */
    readonly source_id: string;
  };
}

export interface NewDelivery {
  readonly eventId: string;
  readonly screeningId: string;
  readonly revision: number;
  readonly body: Buffer;
}

/** Throws `PoisonRecord` for an event that no database can store. The id equals the event's `ce_id`, derived as in decision. */
export function deliveryOf(event: StageEvent<'screenings.decided'>): NewDelivery {
  const { screeningId, decision } = screeningUpdateOf(event);
  if (decision === null) throw new TypeError('a decision has none');
  const view = shown(decision);
  const payload: WebhookPayload = {
    type: 'screening.decided',
    timestamp: view.decided_at,
    data: { screening_id: screeningId, kind: event.data.kind, source_id: event.data.transfer.source_id, ...view },
  };
  const id = eventId('screenings.decided', screeningId, view.revision);
  return { eventId: id, screeningId, revision: view.revision, body: Buffer.from(JSON.stringify(payload)) };
}
