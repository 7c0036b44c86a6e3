import type { Command } from 'commander';
import { jsonOption, withDataDir } from '../flags.ts';

export function addSettings(program: Command): void {
  const command = program
    .command('settings')
    .description('print every setting that is in force and what it is for, secrets masked')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Each setting is an environment variable. A star marks those that are not the default. Changes nothing and asks nobody.

Examples:
  $ weir settings
  $ weir settings --json | jq -r '.[] | select(.is_default | not) | .env'`,
    );
  withDataDir(command).action(async (flags) => (await import('./list.ts')).printSettings(flags));
}
