import { UsageError } from '../failure.ts';

/** In lower case. */
export function parseEventId(text: string): string {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)) return text.toLowerCase();
  throw new UsageError(`${text} is not an event id; "weir webhooks list" shows them`);
}
