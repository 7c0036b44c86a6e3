import { Unusable } from './fields.ts';
import type { Fields } from './records.ts';

/** Weir's columns by the file's names; others keep their own name. */
export type Columns = ReadonlyMap<string, string>;

/** Throws when the file lacks a mapped column, or one of `needed`. */
export function checkColumns(found: readonly string[], columns: Columns, needed: readonly string[]): void {
  const has = `it has ${found.map((name) => JSON.stringify(name)).join(', ')}`.slice(0, 500);
  for (const [ours, theirs] of columns) if (!found.includes(theirs)) throw new Error(`there is no column "${theirs}" for ${ours}; ${has}`);
  const missing = needed.find((ours) => !found.includes(columns.get(ours) ?? ours));
  if (missing !== undefined) throw new Error(`there is no column "${missing}"; say which one it is, or what holds for all; ${has}`);
}

/** Renames the fields. A mapped column is not also read under Weir's name. */
export function renamed(fields: Fields, columns: Columns, ours: readonly string[]): Fields {
  return Object.fromEntries(ours.map((name) => [name, own(fields, columns.get(name) ?? name)]));
}

function own(fields: Fields, name: string): unknown {
  return Object.hasOwn(fields, name) ? fields[name] : undefined;
}

/** Throws `Unusable` without a value and a default. */
export function orDefault(value: string | undefined, fallback: string | undefined, name: string): string {
  const found = value ?? fallback;
  if (found === undefined) throw new Unusable(`${name} is missing`);
  return found;
}
