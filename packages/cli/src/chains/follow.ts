import { followPlans, type FollowPlan, startChainFollower } from '@weir/chain-follower';
import { type FollowedChain, readFollowedChains } from '@weir/chain-store';
import { type Chain, findChain } from '@weir/chains';
import { systemClock } from '@weir/clock';
import { createMetrics } from '@weir/service-kit';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { openProgress, type Progress } from '../progress.ts';
import type { AllSettings } from '../settings.ts';
import { printChains } from './status.ts';

interface FollowFlags extends PlaceFlags {
  readonly from?: number;
  readonly once?: true;
  readonly json?: true;
}

const lookEveryMs = 500;
/** How long a chain may fail with --once. Nodes are tried again meanwhile. */
const failingMs = 60_000;

/** Follows until Ctrl-C, or with `once` until each confirmed block is stored. */
export async function followChains(names: readonly string[], flags: FollowFlags): Promise<void> {
  await withInstallation(flags, async (pipeline, settings, undo) => {
    const plans = plansOf(names, settings, flags.from);
    const isPlanned = ({ chain }: FollowedChain): boolean => plans.some((plan) => plan.chain === chain);
    const read = async (): Promise<FollowedChain[]> => (await readFollowedChains(pipeline.pool)).filter(isPlanned);
    refuseOtherStart(await read(), plans);
    const begun = systemClock.now();
    const follower = await startChainFollower({ ...pipeline, metrics: createMetrics() }, { ...settings, ...settingsOf(plans) });
    undo.push(() => follower.stop());
    const progress = openProgress(systemClock);
    undo.push(async () => progress.clear());
    const isStored = (chain: FollowedChain): boolean => (chain.caughtUpAt?.getTime() ?? 0) >= begun;
    for (let failingSince: number | undefined; ; await systemClock.sleep(lookEveryMs)) {
      const chains = await read();
      show(progress, chains, plans);
      if (flags.once && chains.length === plans.length && chains.every(isStored)) break;
      const problems = follower.warnings?.() ?? [];
      failingSince = problems.length === 0 ? undefined : (failingSince ?? systemClock.monotonic());
      if (flags.once && failingSince !== undefined && systemClock.monotonic() - failingSince >= failingMs)
        throw new Error(problems.join('; '));
    }
    progress.clear();
    await printChains(await read(), flags);
  });
}

/** Those of the settings that are named, or all. */
function plansOf(names: readonly string[], settings: AllSettings, from: number | undefined): readonly FollowPlan[] {
  const all = followPlans(settings);
  const wanted = names.map((name): Chain => {
    const chain = findChain(name);
    if (!all.some((plan) => plan.chain === chain)) throw new UsageError(`WEIR_CHAIN_NODES names no node of ${name}`);
    return chain as Chain;
  });
  const plans = all.filter(({ chain }) => wanted.length === 0 || wanted.includes(chain));
  const [plan, ...others] = plans;
  if (plan === undefined) throw new UsageError('WEIR_CHAIN_NODES names no node: there is no chain to follow');
  if (from === undefined) return plans;
  if (others.length > 0) throw new UsageError('--from is for one chain: name it');
  return [{ ...plan, firstBlock: from }];
}

/** The plans as settings, so that the service checks them as its own. */
function settingsOf(plans: readonly FollowPlan[]): Pick<AllSettings, 'chainNodes' | 'chainFirstBlocks'> {
  return {
    chainNodes: plans.flatMap(({ chain, urls }) => urls.map((url) => `${chain}=${url}`)).join(','),
    chainFirstBlocks: plans.flatMap(({ chain, firstBlock }) => (firstBlock === undefined ? [] : [`${chain}=${firstBlock}`])).join(','),
  };
}

/** The first block is stored at the first start, and blocks before it are imported. */
function refuseOtherStart(known: readonly FollowedChain[], plans: readonly FollowPlan[]): void {
  for (const { chain, firstBlock } of known) {
    const wanted = plans.find((plan) => plan.chain === chain)?.firstBlock;
    if (wanted !== undefined && wanted !== firstBlock)
      throw new UsageError(
        `${chain} is followed from block ${firstBlock}, not ${wanted}; import earlier blocks with "weir transfers import --format rpc"`,
      );
  }
}

function show(progress: Progress, chains: readonly FollowedChain[], plans: readonly FollowPlan[]): void {
  let [done, total] = [0, 0];
  for (const { chain, firstBlock, height, head } of chains) {
    const confirmations = plans.find((plan) => plan.chain === chain)?.confirmations ?? 0;
    done += (height ?? firstBlock - 1) - firstBlock + 1;
    total += Math.max(0, (head ?? firstBlock - 1) - confirmations - firstBlock + 1);
  }
  progress.show(done, total, chains.map(({ chain, height }) => `${chain} ${height ?? '-'}`).join(', '));
}
