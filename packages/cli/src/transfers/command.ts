import { type Command, Option } from 'commander';
import { wholeNumber } from '../flags.ts';
import { chainNames, gather, transferFormatNames, withImportFlags } from '../import/flags.ts';

const highestBlock = 2_147_483_647;

export function addTransfers(program: Command): void {
  const transfers = program.command('transfers').description('transfers, which say who paid whom: import');
  const add = transfers
    .command('import')
    .description('import transfers from files or from a node into the risk service')
    .argument('[files...]', 'CSV, JSON lines, JSON or Parquet; .gz is unpacked')
    .addOption(
      new Option('--format <format>', 'what the files are, or rpc for a node')
        .choices([...transferFormatNames, 'rpc'])
        .makeOptionMandatory(),
    )
    .addOption(new Option('--chain <chain>', 'chain; for csv: of rows that do not say it').choices(chainNames))
    .option(
      '--table <table>',
      'table of an exporter, such as transactions, traces, token_transfers or logs (default: seen from the columns)',
    )
    .option('--coin <coin>', 'csv: coin of rows that do not say it')
    .addOption(new Option('--prices <file>', 'daily prices: COIN=FILE, or a file with coin, date, usd; may be repeated').argParser(gather))
    .option('--price-coin <coin>', 'the coin of price files that do not say it')
    .addOption(new Option('--blocks <file>', 'times of blocks, for tables without them; may be repeated').argParser(gather))
    .addOption(
      new Option('--transactions <file>', 'ids of transactions, for traces of geth without them; may be repeated').argParser(gather),
    )
    .addOption(
      new Option('--receipts <file>', 'which transactions failed, for tables that do not say it; may be repeated').argParser(gather),
    )
    .option('--url <url>', 'rpc: the node')
    .addOption(new Option('--from-block <n>', 'rpc: first block').argParser(wholeNumber(0, highestBlock)))
    .addOption(new Option('--to-block <n>', 'rpc: last block (default: the last that is final)').argParser(wholeNumber(0, highestBlock)))
    .option('--no-traces', 'rpc: leave out payments of contracts within a transaction')
    .option('--unfinal', 'rpc: read blocks too that the chain may still take back')
    .addHelpText(
      'after',
      `
A file, or a range of blocks, is imported once: the same again changes nothing, and one that was interrupted goes on where it was.
A value in USD is that of the file, else amount times the price of the day; with neither it is not known, which is not zero.
What failed or moved nothing is left out and counted. Rows that cannot be used go to the file of --rejected, with the number of their line and the reason.
Exit code 0: all went in. 1: rows were rejected, or it failed.

Examples:
  $ weir transfers import transactions.csv token_transfers.csv --format ethereum-etl --chain ethereum --blocks blocks.csv --receipts receipts.csv
  $ weir transfers import transactions.json.gz --format bitcoin-etl --prices BTC=btc.csv
  $ weir transfers import part-0.parquet --format parquet --chain ethereum --table token_transfers
  $ weir transfers import dune.csv --format csv --chain ethereum --coin ETH --columns time=block_time,from_address=from,to_address=to,amount=total_eth
  $ weir transfers import --format rpc --chain ethereum --url http://localhost:8545 --from-block 19000000 --to-block 19000999`,
    );
  withImportFlags(add).action(async (files, flags) => (await import('./import.ts')).importTransfers(files, flags));
}
