import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Stack } from './stack.ts';

/** Runs commands of `weir` one after the other, each in a container of its own that has these files in `/files`. */
export async function runWithFiles(
  stack: Stack,
  files: Readonly<Record<string, string>>,
  commands: readonly (readonly string[])[],
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'weir-files-'));
  try {
    // The container runs as another user.
    chmodSync(folder, 0o755);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (const args of commands)
      await stack.compose(['run', '--rm', '-T', '--volume', `${folder}:/files:ro`, 'weir', ...args, ...rejected(args)]);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An import puts rows that it cannot read beside its file, which is read-only here. */
function rejected([, command]: readonly string[]): string[] {
  return command === 'import' ? ['--rejected', '/tmp/rejected.jsonl'] : [];
}

/** Returns the token. */
export async function createApprover(stack: Stack, person: string): Promise<string> {
  const create = ['keys', 'create', '--role', 'approver', '--person', person, '--json'];
  return (JSON.parse(await stack.compose(['run', '--rm', '-T', 'weir', ...create])) as { token: string }).token;
}
