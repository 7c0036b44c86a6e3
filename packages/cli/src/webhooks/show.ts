import type { DeliveryDetail } from '@weir/console';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../settings.ts';
import { plain, print, printJson, table } from '../output.ts';
import { openClient } from '../console.ts';
import { parseEventId } from './event-id.ts';
import { head, rowOf } from './list.ts';

/** One delivery, and the bytes sent. */
export async function showDelivery(id: string, flags: PlaceFlags & { json?: true }): Promise<void> {
  const eventId = parseEventId(id);
  const settings = loadSettings(flags);
  await untilInterrupted(async (undo) => {
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    const { status, body } = await openClient(flags, settings, stop.signal).get(`/v1/webhooks/deliveries/${eventId}`);
    if (status !== 200) throw new Error(`${eventId}: ${String(body['detail'])}`);
    const delivery = body as unknown as DeliveryDetail;
    if (flags.json) return printJson(delivery);
    return print(`${table(head, [rowOf(delivery)])}\n${plain(delivery.body)}\n`);
  });
}
