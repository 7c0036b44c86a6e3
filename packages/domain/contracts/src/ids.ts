import { v5 } from 'uuid';
import type { Kind } from './generated/records.ts';

/** UUIDv5 of this name space's own name below the URL name space, so that anybody can derive our ids. */
const namespace = v5('urn:weir', v5.URL);

/** The same transfer has the same screening, whoever asks and how often. */
export function screeningId(kind: Kind, sourceId: string): string {
  return v5(`${kind}:${sourceId}`, namespace);
}

/** An event's id follows from what it says happened, so that a repeat is seen to be one. `parts` are what identifies it. */
export function eventId(topic: string, ...parts: readonly (string | number)[]): string {
  return v5([topic, ...parts].join('/'), namespace);
}
