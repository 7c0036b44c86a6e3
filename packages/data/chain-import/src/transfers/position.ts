import { createHash } from 'node:crypto';

/** What a transaction itself pays is at 0, what its log i says at i + 1: the same whatever table it is read from. */
export const nativePosition = 0;

export function logPosition(logIndex: number): number {
  return logIndex + 1;
}

/** No transaction has as many logs as this. */
const derivedFrom = 2 ** 30;

/**
 * The position of a transfer of which the source says neither log nor place: derived from what makes it up, so it is the same in every file and
 * wherever reading began. The same content twice in one transaction counts once.
 */
export function derivedPosition(content: readonly (string | null | undefined)[]): number {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest();
  return derivedFrom + (hash.readUInt32BE() >>> 2);
}
