import { ageWords, type FollowedChain, readFollowedChains } from '@weir/chain-store';
import { systemClock } from '@weir/clock';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { note, plain, print, printJson, table } from '../output.ts';

const head = ['CHAIN', 'BLOCK', 'HEAD', 'LAG', 'AGE', 'BLOCKS', 'REORGANISATIONS', 'ERROR'];

export async function showStatus(flags: PlaceFlags & { json?: true }): Promise<void> {
  await withInstallation(flags, async ({ pool }) => {
    const chains = await readFollowedChains(pool);
    if (chains.some(({ lastError }) => lastError !== null)) process.exitCode = 1;
    if (chains.length === 0 && !flags.json) return note('No chain is followed. WEIR_CHAIN_NODES names the nodes of the chains to follow.');
    await printChains(chains, flags);
  });
}

export async function printChains(chains: readonly FollowedChain[], { json }: { json?: true }): Promise<void> {
  const statuses = chains.map((chain) => statusOf(chain, systemClock.now()));
  await (json ? printJson(statuses) : print(table(head, statuses.map(rowOf))));
}

type Status = ReturnType<typeof statusOf>;

function statusOf(followed: FollowedChain, now: number) {
  const { chain, firstBlock, height, hash, blockAt, head: newest, seenAt, caughtUpAt, ...counts } = followed;
  const secondsSince = (at: Date | null): number | null => (at === null ? null : Math.max(0, Math.round((now - at.getTime()) / 1_000)));
  return {
    chain,
    first_block: firstBlock,
    block: height,
    block_hash: hash,
    block_at: blockAt?.toISOString() ?? null,
    head: newest,
    head_seen_at: seenAt?.toISOString() ?? null,
    lag_blocks: newest === null || height === null ? null : Math.max(0, newest - height),
    lag_seconds: secondsSince(blockAt),
    behind_seconds: secondsSince(caughtUpAt),
    blocks: counts.blocks,
    reorganisations: counts.reorganisations,
    last_error: counts.lastError,
  };
}

function rowOf({ chain, block, head: newest, lag_blocks: lag, lag_seconds: age, blocks, reorganisations, last_error }: Status): string[] {
  const known = (value: number | null): string => (value === null ? '-' : String(value));
  const since = age === null ? '-' : ageWords(age * 1_000);
  return [chain, known(block), known(newest), known(lag), since, String(blocks), String(reorganisations), plain(last_error ?? '-')];
}
