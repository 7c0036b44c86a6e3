import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './durable-file.ts';

/** The last checkpoint that was signed, kept outside the database. */
export interface LastCheckpoint {
  read(): string | undefined;
  write(note: string): void;
}

export function lastCheckpointIn(dir: string): LastCheckpoint {
  return checkpointFile(join(dir, 'audit-checkpoint'));
}

/** The last checkpoint of another log that this witness has cosigned. */
export function cosignedCheckpointIn(dir: string, origin: string): LastCheckpoint {
  const folder = join(dir, 'audit-witnessed');
  mkdirSync(folder, { recursive: true });
  // An origin may have any characters.
  return checkpointFile(join(folder, createHash('sha256').update(origin).digest('hex')));
}

function checkpointFile(file: string): LastCheckpoint {
  return {
    read: () => (existsSync(file) ? readFileSync(file, 'utf8') : undefined),
    write: (note) => writeWhole(file, note),
  };
}
