import { type Command, Option } from 'commander';
import { jsonOption, wholeNumber, withDataDir } from '../flags.ts';

export function addChains(program: Command): void {
  const chains = program.command('chains').description('chains that are followed by their nodes: follow, status');
  addFollow(chains);
  addStatus(chains);
}

function addFollow(chains: Command): void {
  const follow = chains
    .command('follow')
    .description('store the blocks of chains from their nodes, those that are missing and then each new one, until Ctrl-C')
    .argument('[chain...]', 'chains of WEIR_CHAIN_NODES (default: all)')
    .option('--once', 'end as soon as each confirmed block is stored')
    .addOption(
      new Option('--from <height>', 'block at which following the one named chain begins').argParser(wholeNumber(0, 999_999_999_999)),
    )
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
WEIR_CHAIN_NODES names the nodes. A chain that was followed before goes on behind its last stored block, and --from must not differ.
"weir start" follows by itself; beside it, of two that store the same block one gives way.
Exit code 1: with --once, a chain could not be followed for a minute.

Examples:
  $ WEIR_CHAIN_NODES=base=http://localhost:8545 weir chains follow
  $ weir chains follow base --from 10000000 --once`,
    );
  withDataDir(follow).action(async (names, flags) => (await import('./follow.ts')).followChains(names, flags));
}

function addStatus(chains: Command): void {
  const status = chains
    .command('status')
    .description('show how far each followed chain is stored, and what its nodes last said')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      `
WEIR_CHAIN_NODES names the nodes of the chains to follow. LAG is in blocks, AGE is that of the last stored block.
Exit code 1: the last attempt for a chain failed; ERROR says why.

Examples:
  $ weir chains status
  $ weir chains status --json | jq '.[] | select(.lag_blocks > 100)'`,
    );
  withDataDir(status).action(async (flags) => (await import('./status.ts')).showStatus(flags));
}
