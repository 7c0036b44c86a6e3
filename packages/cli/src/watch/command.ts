import { type Command, Option } from 'commander';
import type { ScriptType } from './derive.ts';
import { jsonOption, parseTime, wholeNumber, withDataDir } from '../flags.ts';

const scriptTypes: readonly ScriptType[] = ['p2pkh', 'p2sh-p2wpkh', 'p2wpkh', 'p2tr'];

export function addWatch(program: Command): void {
  const watch = program.command('watch').description('addresses of the exchange on followed chains: add, list, payments, remove');
  addAdd(watch);
  addList(watch);
  addPayments(watch);
  addRemove(watch);
}

function addAdd(watch: Command): void {
  const add = watch
    .command('add')
    .description('watch addresses: what they receive becomes a deposit, and what they pay needs a permit')
    .argument('[address...]')
    .requiredOption('--chain <chain>', 'chain of the addresses, by any of its names')
    .option('--user <id>', 'customer of these addresses')
    .option('--file <csv>', 'addresses to watch, all or none: a CSV file with the columns address and, if you like, user_id')
    .addOption(
      new Option('--xpub <key>', 'addresses 0/0, 0/1 … of this extended public key of an account: EVM chains, TRON, Bitcoin').conflicts([
        'file',
        'user',
      ]),
    )
    .addOption(new Option('--count <n>', 'how many addresses of --xpub').argParser(wholeNumber(1, 1_000_000)).default(20))
    .addOption(new Option('--first <n>', 'index of the first address of --xpub').argParser(wholeNumber(0, 2 ** 31 - 1)).default(0))
    .addOption(new Option('--script <type>', 'script of the addresses of an xpub of Bitcoin').choices(scriptTypes))
    .addOption(new Option('--since <time>', 'blocks before this time do not count (default: now)').argParser(parseTime))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Each block that is stored from then on is compared with them. The chain must be followed: "weir chains status".

Examples:
  $ weir watch add 0x28C6c06298d514Db089934071355E5743bf21d60 --chain ethereum --user u-1
  $ weir watch add --chain base --file addresses.csv
  $ weir watch add --chain ethereum --xpub xpub6… --count 1000`,
    );
  withDataDir(add).action(async (addresses, flags) => (await import('./run.ts')).runAdd(addresses, flags));
}

function addList(watch: Command): void {
  const list = watch
    .command('list')
    .description('list watched addresses, one a line: chain, address, customer, since')
    .option('--chain <chain>', 'only this chain')
    .addOption(jsonOption())
    .addHelpText('after', '\nExamples:\n  $ weir watch list\n  $ weir watch list --chain base --json');
  withDataDir(list).action(async (flags) => (await import('./run.ts')).runList(flags));
}

function addPayments(watch: Command): void {
  const payments = watch
    .command('payments')
    .description('list payments from watched addresses that no redeemed permit allows, the newest first')
    .option('--chain <chain>', 'only this chain')
    .option('--all', 'also those with a permit')
    .addOption(new Option('--limit <n>', 'at most so many').argParser(wholeNumber(1, 10_000)).default(100))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
One a line: time, chain, transaction, place in it, payer, receiver, amount, coin, withdrawal.

Examples:
  $ weir watch payments
  $ weir watch payments --all --chain base --json`,
    );
  withDataDir(payments).action(async (flags) => (await import('./run.ts')).runPayments(flags));
}

function addRemove(watch: Command): void {
  const remove = watch
    .command('remove')
    .description('watch addresses no longer; announced deposits stay')
    .argument('<address...>')
    .requiredOption('--chain <chain>', 'chain of the addresses')
    .addHelpText('after', '\nExamples:\n  $ weir watch remove 0x28C6c06298d514Db089934071355E5743bf21d60 --chain ethereum');
  withDataDir(remove).action(async (addresses, flags) => (await import('./run.ts')).runRemove(addresses, flags));
}
