import { parse, v5 } from 'uuid';
import type { Kind } from './generated/records.ts';

/** UUIDv5 of `urn:weir`, so that anybody can derive the ids. As bytes, or each id would parse it. */
const namespace = parse(v5('urn:weir', v5.URL));

/** Every request for a transfer gets the same screening. */
export function screeningId(kind: Kind, sourceId: string): string {
  return v5(`${kind}:${sourceId}`, namespace);
}

/** `parts` identify the event, so that a repeat has the same id. */
export function eventId(topic: string, ...parts: readonly (string | number)[]): string {
  return v5([topic, ...parts].join('/'), namespace);
}
