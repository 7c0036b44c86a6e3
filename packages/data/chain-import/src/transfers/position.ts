import { createHash } from 'node:crypto';

/** The transaction's own value is at 0, log i at i + 1, in every table. */
export const nativePosition = 0;

export function logPosition(logIndex: number): number {
  return logIndex + 1;
}

/** No transaction has this many logs. `internal`: payments of contracts within a transaction. `derived`: all else. */
export const positionsFrom = { internal: 2 ** 29, derived: 2 ** 30 } as const;

/**
 * For sources without log index or place: hashes the content, so that every file gives the same position.
 * `equalBefore` counts the equal transfers before it in its file.
 */
export function derivedPosition(content: readonly (string | null | undefined)[], equalBefore = 0): number {
  return positionsFrom.derived + hashOf(equalBefore === 0 ? content : [...content, equalBefore], 30);
}

const [callBits, hashBits] = [6, 23];

/**
 * `place`: the calls that lead to the payment, each numbered in the call before. Payments below different calls of the first level keep
 * their order; of the others, and of calls that are not told, only the hash is known.
 */
export function internalPosition(place: readonly number[], content: readonly (string | number)[]): number {
  const call = Math.min(place[0] ?? 0, 2 ** callBits - 1);
  return positionsFrom.internal + call * 2 ** hashBits + hashOf(content, hashBits);
}

function hashOf(content: readonly unknown[], bits: number): number {
  const hash = createHash('sha256').update(JSON.stringify(content)).digest();
  return hash.readUInt32BE() >>> (32 - bits);
}
