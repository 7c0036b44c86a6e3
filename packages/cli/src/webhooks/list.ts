import type { DeliveryState, DeliveryView } from '@weir/console';
import { type Client, firstOf, openClient, pagesOf } from '../console.ts';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../settings.ts';
import { note, plain, printJsonList, printTable } from '../output.ts';

interface ListFlags extends PlaceFlags {
  readonly state?: DeliveryState;
  readonly limit: number;
  readonly json?: true;
}

/** Newest first. */
export async function listDeliveries(flags: ListFlags): Promise<void> {
  const settings = loadSettings(flags);
  await untilInterrupted(async (undo) => {
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    const all = firstOf(deliveries(openClient(flags, settings, stop.signal), flags.state), flags.limit);
    if (flags.json) return void (await printJsonList(all));
    const count = await printTable(head, all, rowOf);
    note(
      count === 0
        ? 'No matching delivery.'
        : `${count} ${count === 1 ? 'delivery' : 'deliveries'}${count === flags.limit ? '; --limit shows more' : ''}.`,
    );
  });
}

/** All deliveries of a state, newest first. */
export function deliveries(client: Client, state: DeliveryState | undefined): AsyncGenerator<DeliveryView, void, void> {
  return pagesOf(client, '/v1/webhooks/deliveries', { state });
}

export const head = ['CREATED', 'STATE', 'EVENT', 'SCREENING/REVISION', 'ATTEMPTS', 'NEXT', 'LAST ERROR'] as const;

export function rowOf(delivery: DeliveryView): string[] {
  const { event_id, screening_id, revision, state, attempts, created_at, next_at, last_status, last_error } = delivery;
  const error = last_error === null ? '-' : plain(last_status === null ? last_error : `${last_error} ${last_status}`);
  const next = next_at === null ? '-' : `${next_at.slice(0, 19)}Z`;
  return [`${created_at.slice(0, 19)}Z`, state, event_id, `${screening_id}/${revision}`, String(attempts), next, error];
}
