import { type Command, Option } from 'commander';
import { jsonOption, keepFormulas, wholeNumber, withDataDir } from '../flags.ts';
import {
  categoryPairs,
  chainNames,
  evmChains,
  fraction,
  labelFormatNames,
  listPairs,
  sourceKindNames,
  withImportFlags,
} from '../import/flags.ts';

export function addLabels(program: Command): void {
  const labels = program.command('labels').description('labels, which say who addresses are: import, sync, list, end, withdraw');
  addImport(labels);
  addSync(labels);
  addList(labels);
  addEnd(labels);
  addWithdraw(labels);
}

function addImport(labels: Command): void {
  const add = labels
    .command('import')
    .description('import labels from files into the risk service')
    .argument('<files...>', 'CSV, JSON lines, TagPack YAML or a published sanctions list; .gz is unpacked')
    .addOption(
      new Option('--format <format>', 'what the files are (default: told from the content of a published list)').choices(labelFormatNames),
    )
    .addOption(new Option('--chain <chain>', 'csv: chain of rows that do not say it').choices(chainNames))
    .option('--category <category>', 'csv: category of rows that do not say it')
    .addOption(
      new Option(
        '--map-category <pairs>',
        'csv, tags: what a category of the file means, as hacker=theft,shop=service; may be repeated',
      ).argParser(categoryPairs),
    )
    .addOption(
      new Option('--confidence <number>', 'csv: confidence, 0 to 1, of rows that do not say it (default: 0.9)').argParser(fraction),
    )
    .addOption(
      new Option(
        '--source-kind <kind>',
        'csv, tags: how the source knows, where a row does not say it (default: curated; ofac is an authority)',
      ).choices(sourceKindNames),
    )
    .addOption(
      new Option(
        '--evm-chains <chains>',
        'ofac and lists: chains on which an address listed on Ethereum is labelled, or all (the default)',
      ).argParser(evmChains),
    )
    .option('--asset <code>', '0xb10c: the coin of the addresses, as XBT (default: the one in the name of the file)')
    .option('--comments <file>', 'ofac-csv: SDN_COMMENTS.CSV, in which long remarks continue')
    .option('--snapshot', 'the file is the whole of its sources: their labels that it no longer has end')
    .option('--as-of <time>', 'snapshot: the time from which those labels do not hold (default: now)')
    .addOption(
      new Option(
        '--allow-removals <n>',
        'snapshot: how many labels may end; if there are more, none ends (default: a fifth of those that hold)',
      ).argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER)),
    )
    .addHelpText(
      'after',
      `
A file is imported once: the same again changes nothing, and one that was interrupted goes on where it was.
A category that is not known is refused: its row is not imported, and the nearest known one is named.
Rows that cannot be used are left out and go to the file of --rejected, with the number of their line and the reason.
Labels are weighed by their kind of source: an authority lists by law, an owner its own addresses, a curated list is
examined row by row, a crawl collects what others say. An authority always wins, so give that kind to no copy of its list.
Published lists: ofac-advanced, ofac-xml and ofac-csv of OFAC, 0xb10c, eu, uk, un and opensanctions. A coin whose chain Weir does
not know is left out, and counted.
Exit code 0: all went in. 1: rows were rejected, or it failed.

Examples:
  $ weir labels import SDN_ADVANCED.XML
  $ weir labels import CONS_ADVANCED.XML --source "US OFAC Consolidated"
  $ weir labels import SDN.CSV --format ofac-csv --comments SDN_COMMENTS.CSV
  $ weir labels import ofac.csv --format ofac
  $ weir labels import SDN_ADVANCED.XML --snapshot
  $ weir labels import packs/*.yaml --format tagpack
  $ weir labels import wallets.csv --format csv --columns name=entity --category exchange --source "our own research"
  $ weir labels import our-wallets.csv --format csv --category exchange --source "Our exchange" --source-kind owner
  $ weir labels import cases.csv --format csv --map-category hacker=theft,shop=service`,
    );
  withImportFlags(add).action(async (files, flags) => (await import('./import.ts')).importLabels(files, flags));
}

function addSync(labels: Command): void {
  const sync = labels
    .command('sync')
    .description('bring published sanctions lists up to date: labels that a list no longer has end')
    .argument('[lists...]', 'as ofac-sdn, eu, uk, un (default: those of WEIR_LISTS)')
    .addOption(
      new Option('--file <pairs>', 'a file instead of the address, as ofac-sdn=SDN_ADVANCED.XML; may be repeated').argParser(listPairs),
    )
    .addOption(new Option('--sha256 <pairs>', 'the SHA-256 that the file must have, as eu=<hex>; may be repeated').argParser(listPairs))
    .addOption(
      new Option('--allow-removals <n>', 'how many labels of a list may end (default: a fifth of those that hold)').argParser(
        wholeNumber(0),
      ),
    )
    .option('--rejected <file>', 'where addresses go that cannot be used (default: <list>.rejected.jsonl)')
    .option(
      '--watch',
      'keep the lists of WEIR_LISTS fresh, and apply changes of labels that two people agreed on, until Ctrl-C, as "weir start" does',
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Lists: ofac-sdn, ofac-consolidated, eu, uk, un, opensanctions, and 0xb10c-xbt, -eth, -usdt, -usdc, -trx, -arb, -bsc.
A list is fetched only if it has changed. A page of HTML, a part of a file or an empty list changes nothing. Of a list that lost
more than a fifth of its labels none ends.
Exit code 0: all lists are up to date. 1: one failed, and its labels stay as they were.

Examples:
  $ weir labels sync ofac-sdn uk
  $ weir labels sync --file ofac-sdn=SDN_ADVANCED.XML
  $ WEIR_LISTS=ofac-sdn,eu,uk,un weir labels sync --watch`,
    );
  withDataDir(sync).action(async (lists, flags) => (await import('./sync.ts')).syncLabels(lists, flags));
}

function addList(labels: Command): void {
  const list = labels
    .command('list')
    .description('list labels, by chain and address')
    .option('--address <address>', 'of this address, on whatever chain')
    .option('--source <name>', 'from this source')
    .addOption(new Option('--limit <n>', 'maximum number of rows').argParser(wholeNumber(1, 100_000)).default(100))
    .addOption(new Option('--format <format>', 'form of the output').choices(['table', 'json', 'csv']).default('table'))
    .addOption(jsonOption().implies({ format: 'json' }))
    .option('--keep-formulas', keepFormulas)
    .addHelpText(
      'after',
      '\nExamples:\n  $ weir labels list --address 0x098B716B8Aaf21512996dC57EB0615e2383E2f96\n  $ weir labels list --source "OFAC SDN 27307" --limit 1000 --format csv > labels.csv',
    );
  withDataDir(list).action(async (flags) => (await import('./list.ts')).listLabels(flags));
}

function addEnd(labels: Command): void {
  const end = withReason(labels.command('end').description('end labels of an address, as when a listing was lifted'))
    .requiredOption('--address <address>', 'of this address, on every chain')
    .requiredOption('--source <name>', 'from this source')
    .option('--category <category>', 'only of this category')
    .option('--at <time>', 'the time from which they do not hold (default: now)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ weir labels end --address 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 --source "our own research" --reason "case 17 closed" --person ann',
    );
  withDataDir(end).action(async (flags) => (await import('./correct.ts')).end(flags));
}

function addWithdraw(labels: Command): void {
  const withdraw = withReason(labels.command('withdraw').description('take labels back, as those of a wrong list'))
    .option('--source <name>', 'all labels from this source')
    .option('--import <key>', 'the labels that only this import gave: the key that import --json prints, or its beginning')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Withdrawn labels count as if they had never been: scores that read them are computed again. The file can be imported again.

Examples:
  $ weir labels withdraw --source "a list" --reason "the publisher took it back" --person ann
  $ weir labels withdraw --import 5c1e0a7b --reason "wrong columns" --person ann --yes`,
    );
  withDataDir(withdraw).action(async (flags) => (await import('./correct.ts')).withdraw(flags));
}

function withReason(command: Command) {
  return command.requiredOption('--reason <text>', 'why').requiredOption('--person <name>', 'the person who decided it');
}
