import { type Command, Option } from 'commander';
import { consolePlace, jsonOption, parseTime, wholeNumber, withDataDir } from '../flags.ts';

export function addScreenings(program: Command): void {
  const screenings = program.command('screenings').description('every deposit and withdrawal with its result and decisions: list, show');
  const list = screenings
    .command('list')
    .description('list screenings, newest first unless sorted otherwise; all filters apply')
    .addOption(new Option('--kind <kind>', 'of this kind').choices(['deposit', 'withdrawal']))
    .addOption(new Option('--action <action>', 'latest action').choices(['block', 'review', 'allow']))
    .option('--open', 'without a decision')
    .addOption(new Option('--level <level>', 'latest level').choices(['Low', 'Moderate', 'High', 'Severe']))
    .option('--subject <text>', 'address or transaction that was scored')
    .option('--address <address>', 'either side of the transfer')
    .option('--user-id <id>', 'your customer')
    .option('--source-id <id>', 'deposit_id or withdrawal_id')
    .option('--txid <txid>', 'transaction')
    .option('--chain <chain>', 'chain, such as ethereum')
    .option('--coin <coin>', 'coin, such as USDT-ERC20')
    .option('--rule <name>', "policy's rule that last made a revision")
    .option('--reason <code>', 'reason code of the latest decision')
    .option('--since <time>', 'requested then or later (RFC 3339)', parseTime)
    .option('--until <time>', 'requested before then (RFC 3339)', parseTime)
    .option('--min-usd <usd>', 'declared value at least; leaves out unknown values')
    .option('--max-usd <usd>', 'declared value at most; leaves out unknown values')
    .addOption(new Option('--sort <order>', 'value: the largest first').choices(['newest', 'oldest', 'value']))
    .addOption(new Option('--limit <n>', 'maximum number of rows').argParser(wholeNumber(1, 1_000_000)).default(100))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `\n${consolePlace}\n\nExamples:\n  $ weir screenings list --address 0x098B716B8Aaf21512996dC57EB0615e2383E2f96\n  $ weir screenings list --action review --min-usd 10000 --json | jq '.[].screening_id'`,
    );
  withDataDir(list).action(async (flags) => (await import('./list.ts')).listScreenings(flags));
  const show = screenings
    .command('show')
    .description('show one, with its exposures and every decision')
    .argument('<screening-id>')
    .addOption(jsonOption())
    .addHelpText('after', `\n${consolePlace}\n\nExamples:\n  $ weir screenings show 5c1a4a0e-9a1f-5f0e-8f59-5b1d2a7c9e10`);
  withDataDir(show).action(async (id, flags) => (await import('./show.ts')).showScreening(id, flags));
}
