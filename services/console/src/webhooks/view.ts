export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/** One decision in the delivery log; times are RFC 3339, UTC. */
export interface DeliveryView {
  /** The decision's event id, and the webhook's. */
  readonly event_id: string;
  readonly screening_id: string;
  readonly revision: number;
  /** `failed`: given up. */
  readonly state: DeliveryState;
  /** Since it was stored, or since a person's retry. */
  readonly attempts: number;
  readonly created_at: string;
  /** Of a pending delivery. A revision also waits for earlier ones, and all wait during an outage. */
  readonly next_at: string | null;
  readonly attempted_at: string | null;
  /** When it succeeded or was given up. */
  readonly settled_at: string | null;
  /** Of the last attempt; null without a response. */
  readonly last_status: number | null;
  /** Of the last attempt: a fault, with the system's error code if any. */
  readonly last_error: string | null;
}

export interface DeliveryDetail extends DeliveryView {
  /** The payload as text. */
  readonly body: string;
}

export interface DeliveryRow extends Record<string, unknown> {
  event_id: string;
  screening_id: string;
  revision: number;
  state: DeliveryState;
  attempts: number;
  created_at: Date;
  next_at: Date;
  attempted_at: Date | null;
  settled_at: Date | null;
  last_status: number | null;
  last_error: string | null;
}

export function toDelivery(row: DeliveryRow): DeliveryView {
  const { event_id, screening_id, revision, state, attempts, created_at, next_at, attempted_at, settled_at, last_status, last_error } = row;
  return {
    event_id,
    screening_id,
    revision,
    state,
    attempts,
    created_at: created_at.toISOString(),
    next_at: state === 'pending' ? next_at.toISOString() : null,
    attempted_at: attempted_at?.toISOString() ?? null,
    settled_at: settled_at?.toISOString() ?? null,
    last_status,
    last_error,
  };
}
