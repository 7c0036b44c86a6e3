import type { Command } from 'commander';
import { jsonOption, parseTime, wholeNumber, withDataDir } from '../flags.ts';

export function addProviders(program: Command): void {
  const providers = program.command('providers').description('the deciding provider of risk scores, and the one in shadow');
  const compare = providers
    .command('compare')
    .description('how far the provider in shadow agrees with the deciding one, by level and category')
    .option('--since <time>', 'only results since then (default: all that are kept, 90 days)', parseTime)
    .option('--limit <count>', 'how many disagreements to list, the newest first', wholeNumber(0, 1_000), 20)
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Examples:
  $ weir providers compare
  $ weir providers compare --since 2031-01-31T00:00:00Z --limit 1000 --json | jq '.disagreements[]'`,
    );
  withDataDir(compare).action(async (flags) => (await import('./compare.ts')).compareProviders(flags));
}
