import type { Command } from 'commander';
import { consolePlace, jsonOption, withDataDir } from '../flags.ts';

export function addUsers(program: Command): void {
  const users = program.command('users').description('your customers, as their transfers name them');
  const show = users
    .command('show')
    .description('sum up the transfers of one: by kind, action and level, and what is held')
    .argument('<user-id>')
    .addOption(jsonOption())
    .addHelpText('after', `\n${consolePlace}\n\nExamples:\n  $ weir users show u-1`);
  withDataDir(show).action(async (id, flags) => (await import('./show.ts')).showUser(id, flags));
}
