import { type Command, Option } from 'commander';
import { jsonOption, keepFormulas, wholeNumber, withDataDir } from '../flags.ts';

export function addScreen(program: Command): void {
  const command = program
    .command('screen')
    .description(
      'ask the provider of risk scores about an address or a transaction, or about each row of a CSV file, and say what the policy would do',
    )
    .argument('<coin-or-file>', 'coin, such as ETH or USDT-TRC20; or a CSV file')
    .argument('[target]', 'address or transaction id')
    .addOption(new Option('--direction <side>', 'side of a transaction').choices(['deposit', 'withdraw']))
    .addOption(new Option('--kind <kind>', 'policy for a deposit or for a withdrawal').choices(['deposit', 'withdrawal']))
    .option('--usd-value <amount>', 'value in USD, which the policy may look at')
    .option('--to-address <address>', 'receiver of the transaction, where the provider asks for it')
    .option('--amount <amount>', 'amount of the withdrawal in the coin, where the provider asks for it')
    .addOption(new Option('--wait <seconds>', 'how long to wait for one answer').argParser(wholeNumber(1, 600)).default(60))
    .addOption(jsonOption().conflicts(['out', 'resume']))
    .option('--out <file>', 'write the results of a CSV file here')
    .option('--resume', 'continue an interrupted --out file')
    .option('--keep-formulas', keepFormulas)
    .option('--pay', 'pay for each answer in USDC (x402) in place of an API key')
    .option('--pay-key-file <file>', 'private key of the wallet that pays (default: WEIR_PAY_KEY)')
    .option('--max-usdc <amount>', 'the most that this run may spend')
    .addHelpText(
      'after',
      `
Asks the provider of WEIR_PROVIDER at WEIR_UPSTREAM_URL with its key; without these, or with --data-dir, the Weir that runs on this machine.
Chainalysis and Elliptic need --to-address for a transaction, Chainalysis --amount for a withdrawal. Each question is registered there.
Coins that were added with "weir coins add" are read from the installation of --data-dir or DATABASE_URL.
Keeps to WEIR_UPSTREAM_PER_SECOND and WEIR_UPSTREAM_PER_DAY, and counts its own questions alone: a pipeline on the same key needs its share.
A CSV file has a header with coin, and address or txid; direction, usd_value, kind, to_address and amount may follow. A row that cannot be asked is in the result too.
With --pay each score is paid, 1 USDC as specified, at WEIR_PAY_URL, else at the API above, from the wallet of --pay-key-file or WEIR_PAY_KEY: 0x and 64
digits pay on Base; 64 bytes in base58, or as the array of a wallet's file, on Solana (WEIR_PAY_SOLANA_RPC_URL). A file needs --out and --max-usdc.
What is signed is kept in <out>.payments, for one target in payments.jsonl of the data folder: asked again, a row that was paid is not paid again.
Exit code 0: every question has an answer, whatever it says. 1: one has none.

Examples:
  $ weir screen ETH 0x098B716B8Aaf21512996dC57EB0615e2383E2f96
  $ weir screen USDT-TRC20 TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t --kind withdrawal --usd-value 2500 --json
  $ weir screen customers.csv --out results.csv
  $ weir screen customers.csv --out results.csv --resume
  $ weir screen ETH 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 --pay --max-usdc 1 --pay-key-file wallet.key
  $ weir screen customers.csv --out results.csv --pay --max-usdc 25`,
    );
  withDataDir(command).action(async (first, target, flags) =>
    target === undefined
      ? (await import('./run-file.ts')).screenFile(first, flags)
      : (await import('./run-one.ts')).screenOne(first, target, flags),
  );
}
