import { type Command, Option } from 'commander';
import { jsonOption, parseTime, wholeNumber, withDataDir } from '../flags.ts';
import { chainNames } from '../import/flags.ts';

export function addTrace(program: Command): void {
  const trace = program
    .command('trace')
    .description('follow the money of an address: where it went, or where it came from')
    .argument('<address>', 'address whose payments are followed')
    .addOption(new Option('--chain <chain>', 'its chain (default: the one on which it has transfers)').choices(chainNames))
    .option('--coin <coin>', 'follow this coin alone, by amount (default: all coins of the chain, in USD)')
    .addOption(
      new Option('--direction <direction>', 'forward: where its money went; backward: where it came from')
        .choices(['forward', 'backward'])
        .default('forward'),
    )
    .addOption(
      new Option('--method <method>', 'how mixed money is divided (default: the three side by side)').choices([
        'poison',
        'haircut',
        'fifo',
      ]),
    )
    .addOption(new Option('--since <time>', "trace the address's own transfers from this time on").argParser(parseTime))
    .addOption(new Option('--until <time>', "trace the address's own transfers up to this time").argParser(parseTime))
    .addOption(new Option('--limit <n>', 'how many terminals the table has').argParser(wholeNumber(1, 100)).default(25))
    .addOption(new Option('--paths <n>', 'how many terminals are shown with their path').argParser(wholeNumber(0, 100)).default(3))
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
haircut: each payment takes its share of all that the payer has. fifo: the money that came first leaves first. poison: whatever
an address pays after the first contact counts whole, so poison adds up to more than was sent.
A trail ends at a service, at another risk label, at an address with too many transfers to read (hub), and where the money still is
(held). Backward it begins there, or with money that no known transfer brought (unexplained).
Exit code 0: there is a trace. 1: no transfer of the address is known.

Examples:
  $ weir trace 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 --coin ETH
  $ weir trace 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 --coin ETH --since 2022-03-23T00:00:00Z --method fifo
  $ weir trace 0x098B716B8Aaf21512996dC57EB0615e2383E2f96 --coin ETH --direction backward --json > trace.json`,
    );
  withDataDir(trace).action(async (address, flags) => (await import('./run.ts')).traceAddress(address, flags));
}
