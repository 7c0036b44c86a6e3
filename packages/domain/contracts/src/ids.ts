import { hash } from 'node:crypto';
import { parse, v5 } from 'uuid';
import type { Kind } from './generated/records.ts';

/** UUIDv5 of `urn:weir`, so that anybody can derive the ids. */
const namespace = Buffer.from(parse(v5('urn:weir', v5.URL)));

/** Every request for a transfer gets the same screening. */
export function screeningId(kind: Kind, sourceId: string): string {
  return derived(`${kind}:${sourceId}`);
}

/** `parts` identify the event, so that a repeat has the same id. */
export function eventId(topic: string, ...parts: readonly (string | number)[]): string {
  return derived([topic, ...parts].join('/'));
}

/** UUIDv5 (RFC 9562, section 5.5), as the library makes it in three times as long: a transfer needs nine. Throws `URIError` for half a character. */
function derived(name: string): string {
  if (!name.isWellFormed()) throw new URIError('a name of an id holds half a character');
  const hex = hash('sha1', Buffer.concat([namespace, Buffer.from(name)]));
  const variant = ((Number.parseInt(hex.charAt(16), 16) & 0b0011) | 0b1000).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}
