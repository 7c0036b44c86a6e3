import { createHash } from 'node:crypto';

/** The transaction's own value is at 0, log i at i + 1, in every table. */
export const nativePosition = 0;

export function logPosition(logIndex: number): number {
  return logIndex + 1;
}

/** No transaction has this many logs. */
const derivedFrom = 2 ** 30;

/**
 * For sources without log index or place: hashes the content, so that every file gives the same position.
 * `equalBefore` counts the equal transfers before it in its file.
 */
export function derivedPosition(content: readonly (string | null | undefined)[], equalBefore = 0): number {
  const hash = createHash('sha256')
    .update(JSON.stringify(equalBefore === 0 ? content : [...content, equalBefore]))
    .digest();
  return derivedFrom + (hash.readUInt32BE() >>> 2);
}
