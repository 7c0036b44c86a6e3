import { createInterface } from 'node:readline/promises';
import { Interrupted, UsageError } from './failure.ts';

/** Asks before an irreversible action. Without a terminal only `--yes` confirms. Returns false for any answer but yes. */
export async function confirm(question: string, yes: boolean | undefined): Promise<boolean> {
  if (yes === true) return true;
  if (!process.stdin.isTTY) throw new UsageError(`${question} There is no terminal to ask at: give --yes to go on.`);
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const asked = new AbortController();
    // In raw mode Ctrl-C arrives as a key, not as a signal.
    terminal.once('SIGINT', () => asked.abort());
    const answer = await terminal.question(`${question} [y/N] `, { signal: asked.signal });
    return /^y(es)?$/i.test(answer.trim());
  } catch {
    throw new Interrupted('nothing was changed');
  } finally {
    terminal.close();
  }
}
