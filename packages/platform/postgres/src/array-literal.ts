import { byteaArray } from './binary-array.ts';

/** Characters that JSON escapes in another way than PostgreSQL: control characters, and halves of surrogate pairs. */
// oxlint-disable-next-line no-control-regex -- they are what it looks for
const jsonOnly = /[\0-\x1f\ud800-\udfff]/;

/**
 * The array as PostgreSQL's literal, of bytes in its binary form, or the array itself where pg has to write it. pg writes element by element,
 * with two replacements for each: under load that was a third of everything a process allocated.
 */
export function arrayLiteral(array: readonly unknown[]): unknown {
  if (array.every((item) => item === null || (typeof item === 'string' && !jsonOnly.test(item)))) return inBraces(JSON.stringify(array));
  if (array.every((item) => item === null || Number.isFinite(item) || typeof item === 'boolean')) return inBraces(JSON.stringify(array));
  if (array.every((item) => typeof item === 'bigint')) return `{${array.join(',')}}`;
  if (array.every((item) => Buffer.isBuffer(item))) return byteaArray(array);
  return array;
}

/** JSON and PostgreSQL write the elements alike: quoted, with a backslash before quotes and backslashes, and null without quotes. */
function inBraces(json: string): string {
  return `{${json.slice(1, -1)}}`;
}
