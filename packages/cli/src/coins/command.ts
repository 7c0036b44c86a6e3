import { type Command, Option } from 'commander';
import { jsonOption, wholeNumber, withDataDir } from '../flags.ts';

export function addCoins(program: Command): void {
  const coins = program.command('coins').description('coins that this installation knows: add tokens by contract, list, remove');
  addAdd(coins);
  addList(coins);
  addRemove(coins);
}

function addAdd(coins: Command): void {
  const add = coins
    .command('add')
    .description('add a token by its contract, or those of a CSV file with the columns symbol, chain, contract, decimals')
    .argument('[symbol]', 'such as PEPE; its chain is appended: PEPE-ERC20')
    .option('--chain <chain>', 'chain of the contract, by any of its names')
    .option('--contract <address>', 'contract of the token; of EVM chains with its checksum in mixed case')
    .addOption(new Option('--decimals <n>', 'decimal places of the token').argParser(wholeNumber(0, 36)))
    .addOption(new Option('--file <csv>', 'tokens to add, all or none').conflicts(['chain', 'contract', 'decimals']))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Every service of this installation reads it within a second, without a restart. Deposits of it are screened from then on.

Examples:
  $ weir coins add ONDO --chain ethereum --contract 0xfAbA6f8e4a5E8Ab82F62fe7C39859FA577269BE3 --decimals 18
  $ weir coins add --file tokens.csv`,
    );
  withDataDir(add).action(async (symbol, flags) => (await import('./run.ts')).runAdd(symbol, flags));
}

function addList(coins: Command): void {
  const list = coins
    .command('list')
    .description('list every coin: symbol, chain, decimals, contract, and whether it was added here')
    .option('--added', 'only those added here')
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ weir coins list\n  $ weir coins list --added --json');
  withDataDir(list).action(async (flags) => (await import('./run.ts')).runList(flags));
}

function addRemove(coins: Command): void {
  const remove = coins
    .command('remove')
    .description('remove a coin that was added here; further transfers of it are held or refused as unsupported')
    .argument('<symbol>', 'such as PEPE-ERC20')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText('after', '\nExamples:\n  $ weir coins remove ONDO-ERC20\n  $ weir coins remove ONDO-ERC20 --yes');
  withDataDir(remove).action(async (symbol, flags) => (await import('./run.ts')).runRemove(symbol, flags));
}
