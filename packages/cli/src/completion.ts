import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RootCommand } from '@bomb.sh/tab';
import tab from '@bomb.sh/tab/commander';
import type { Command } from 'commander';

/** Adds `completion SHELL`, which prints a script, and the hidden `complete`, which the script asks. Call it after all other commands. */
export function addCompletion(program: Command): void {
  const root = tab(program, { completionCommandName: 'completion' });
  completeFiles(program, root);
  program.commands
    .find((command) => command.name() === 'completion')
    ?.description('print the completion script of a shell')
    .addHelpText(
      'after',
      `
The script completes commands, options, their choices and files. It calls weir, which must be in the PATH. bash also needs its package bash-completion.

Examples:
  $ weir completion bash > ~/.local/share/bash-completion/completions/weir
  $ weir completion zsh > ~/.zfunc/_weir
  $ weir completion fish > ~/.config/fish/completions/weir.fish`,
    );
}

const isFile = (name: string): boolean => /\b(file|folder|csv)\b/.test(name);

/** The library tells shells to complete no files, so the program does it. */
function completeFiles(command: Command, root: RootCommand, names: readonly string[] = []): void {
  const own = root.commands.get(names.join(' '));
  for (const argument of command.registeredArguments) {
    const target = own?.arguments.get(argument.name());
    if (target !== undefined && isFile(argument.name())) target.handler = offerFiles;
  }
  for (const { long, flags } of command.options) {
    const target = own?.options.get(long?.slice(2) ?? '');
    if (target !== undefined && isFile(flags.replace(/^[^<]*/, ''))) Object.assign(target, { handler: offerFiles, isBoolean: false });
  }
  for (const each of command.commands) completeFiles(each, root, [...names, each.name()]);
}

/** The word to complete is the last argument. */
function offerFiles(offer: (value: string, description: string) => void): void {
  const typed = process.argv.at(-1) ?? '';
  const folder = typed.endsWith('/') ? typed : dirname(typed);
  const place = typed.includes('/') ? folder : '';
  try {
    for (const entry of readdirSync(folder === '' ? '.' : folder, { withFileTypes: true }))
      offer(join(place, entry.name) + (entry.isDirectory() ? '/' : ''), '');
  } catch {
    // No such folder, so nothing to offer.
  }
}
