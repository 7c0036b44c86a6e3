import { systemClock } from '@weir/clock';
import { type Client, codeOf, openClient } from '../console.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { untilInterrupted } from '../installation.ts';
import { loadSettings } from '../settings.ts';
import { note, plain, print, printJson } from '../output.ts';
import { openProgress } from '../progress.ts';
import { parseEventId } from './event-id.ts';
import { deliveries } from './list.ts';

interface RetryFlags extends PlaceFlags {
  readonly failed?: true;
  readonly json?: true;
}

interface Retried {
  readonly event_id: string;
  readonly result: 'queued' | 'not_done';
  /** Why it was not; null otherwise. */
  readonly code: string | null;
}

/** Queues deliveries again. The console sends them. */
export async function retryDeliveries(given: readonly string[], flags: RetryFlags): Promise<void> {
  if (given.length > 0 === (flags.failed === true)) throw new UsageError('give event ids, or --failed');
  const ids = [...new Set(given.map(parseEventId))];
  const settings = loadSettings(flags);
  const all = await untilInterrupted(async (undo) => {
    const stop = new AbortController();
    undo.push(async () => stop.abort());
    const client = openClient(flags, settings, stop.signal);
    const progress = openProgress(systemClock);
    undo.push(async () => progress.clear());
    const wanted = flags.failed ? await failed(client) : ids;
    const done: Retried[] = [];
    for (const id of wanted) {
      done.push(await retry(client, id));
      progress.show(done.length, wanted.length, 'queued');
    }
    return done;
  });
  const refused = all.filter(({ result }) => result === 'not_done');
  if (flags.json) await printJson(all);
  else for (const { event_id, code } of refused) await print(`${event_id}  ${plain(code ?? '')}\n`);
  note(`${all.length - refused.length} will be sent again${refused.length > 0 ? `, ${refused.length} cannot be` : ''}.`);
  if (refused.length > 0) process.exitCode = 1;
}

/** Oldest first, so that earlier revisions of a screening go first. */
async function failed(client: Client): Promise<string[]> {
  const ids: string[] = [];
  for await (const { event_id } of deliveries(client, 'failed')) ids.push(event_id);
  return ids.toReversed();
}

async function retry(client: Client, id: string): Promise<Retried> {
  const reply = await client.post(`/v1/webhooks/deliveries/${id}/retry`, {});
  return reply.status === 200 ? { event_id: id, result: 'queued', code: null } : { event_id: id, result: 'not_done', code: codeOf(reply) };
}
