import { type FileHandle, mkdir, open, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SignedCheckpoint } from '../checkpoints.ts';
import { type Anchor, AnchorError, nameOfCopy, otherCopy } from './anchor.ts';

/** One file for each checkpoint, never written twice. The folder is best on storage that only adds. */
export function fileAnchor(url: URL): Anchor {
  const folder = fileURLToPath(url);
  return {
    name: `file:${folder}`,
    keep: async (checkpoint) => {
      const file = join(folder, nameOfCopy(checkpoint));
      try {
        await mkdir(folder, { recursive: true });
        await writeNew(file, checkpoint);
      } catch (error) {
        if (error instanceof AnchorError) throw error;
        throw new AnchorError(`the folder cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown'}`, { cause: error });
      }
      return checkpoint.note;
    },
  };
}

async function writeNew(file: string, { size, note }: SignedCheckpoint): Promise<void> {
  const created = await open(file, 'wx', 0o644).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'EEXIST') return undefined;
    throw error;
  });
  if (created !== undefined) return writeDurably(created, note);
  // A kill may have left the beginning of it.
  const kept = await readFile(file, 'utf8');
  if (!note.startsWith(kept)) throw otherCopy(size);
  if (kept !== note) await writeDurably(await open(file, 'r+'), note);
}

async function writeDurably(handle: FileHandle, text: string): Promise<void> {
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
