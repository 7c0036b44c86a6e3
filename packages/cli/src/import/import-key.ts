import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** SHA-256 (hex) of the stored bytes. */
export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
}

/** Identifies an import by everything that decides its rows. The file's name is not part of it. */
export function importKey(parts: Readonly<Record<string, unknown>>): string {
  return createHash('sha256')
    .update(JSON.stringify(byName(Object.entries(parts))))
    .digest('hex');
}

/** Independent of the order of the flags. */
function byName(entries: readonly [string, unknown][]): readonly [string, unknown][] {
  const written = entries.map(([name, value]): [string, unknown] => [name, value instanceof Map ? byName([...value]) : (value ?? null)]);
  return written.sort(([a], [b]) => (a < b ? -1 : 1));
}
