import { join } from 'node:path';

/** The path of a sample file in the structure of a published sanctions list. */
export function sampleList(name: string): string {
  return join(import.meta.dirname, 'lists', name);
}
