import { type Command, Option } from 'commander';
import { jsonOption, parseTime, wholeNumber, withDataDir } from '../flags.ts';

/** Repeats the ledger's states, because help must not load it. */
const states = ['claimed', 'settling', 'unknown', 'settled', 'refused'];

export function addPayments(program: Command): void {
  const payments = program.command('payments').description('payments by the call (x402): list, reconcile');
  const list = payments
    .command('list')
    .description('list the ledger of payments, newest first')
    .addOption(new Option('--state <state>', 'only in this state').choices(states))
    .addOption(new Option('--since <time>', 'made at or after this time, RFC 3339').argParser(parseTime))
    .addOption(new Option('--limit <n>', 'maximum number of rows').argParser(wholeNumber(1, 10_000)).default(100))
    .option('--cursor <cursor>', 'continue at the cursor that a list ended with')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
settled: charged, with its transaction. refused: not charged, and never will be. settling, unknown: sent for settlement, and it is not known yet
whether it was charged; "weir payments reconcile" finds out. claimed: nothing was sent.

Examples:
  $ weir payments list --state unknown
  $ weir payments list --since 2031-01-01T00:00:00Z --state settled --json | jq '[.items[].amount | tonumber] | add'`,
    );
  withDataDir(list).action(async (flags) => (await import('./run.ts')).runList(flags));
  const reconcile = payments
    .command('reconcile')
    .description('query settlements with an unknown outcome now; the risk API also does so periodically')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
Takes the settings that the risk API runs with (WEIR_X402_…). With an RPC address of a network (WEIR_X402_EVM_RPC_URL, WEIR_X402_SOLANA_RPC_URL) the
chain itself is asked. Nobody is charged twice: an authorization is good once. Ends with 1 while an outcome is still unknown.

Examples:
  $ weir payments reconcile
  $ WEIR_X402_EVM_RPC_URL=https://base.example weir payments reconcile --json`,
    );
  withDataDir(reconcile).action(async (flags) => (await import('./run.ts')).runReconcile(flags));
}
