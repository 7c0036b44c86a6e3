import type { Described } from '@weir/service-kit';
import { z } from 'zod';

export const deliveryStates = ['pending', 'delivered', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

const time = z.iso.datetime();

const deliveryFields = {
  event_id: z.guid().describe("The decision's event id, and the webhook's."),
  screening_id: z.guid(),
  revision: z.int().min(1),
  state: z.enum(deliveryStates).describe('failed: given up.'),
  attempts: z.int().min(0).describe("Since it was stored, or since a person's retry."),
  created_at: time,
  next_at: time.nullable().describe('Of a pending delivery. A revision also waits for earlier ones, and all wait during an outage.'),
  attempted_at: time.nullable(),
  settled_at: time.nullable().describe('When it succeeded or was given up.'),
  last_status: z.int().nullable().describe('Of the last attempt; null without a response.'),
  last_error: z.string().nullable().describe("Of the last attempt: a fault, with the system's error code if any."),
};

/** One decision in the delivery log. */
export const deliveryView = z.strictObject(deliveryFields).meta({ id: 'Delivery' });
export type DeliveryView = Described<typeof deliveryView>;

export const deliveryDetail = z
  .strictObject({ ...deliveryFields, body: z.string().describe('The payload as text.') })
  .meta({ id: 'DeliveryDetail' });
export type DeliveryDetail = Described<typeof deliveryDetail>;

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
