import type { Command } from 'commander';
import { jsonOption, withDataDir } from '../flags.ts';

export function addChains(program: Command): void {
  const chains = program.command('chains').description('chains that are followed by their nodes: status');
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
