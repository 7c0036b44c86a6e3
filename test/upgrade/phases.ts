import { randomBytes } from 'node:crypto';
import { expect, vi } from 'vitest';
import { type Checked, createHistory, findViolations } from './check.ts';
import { Load, type LoadOptions, type Place } from './load.ts';
import type { Version } from './versions.ts';

export const settings: NodeJS.ProcessEnv = {
  WEIR_UPSTREAM_PER_SECOND: '200',
  WEIR_UPSTREAM_PER_DAY: '1000000',
  WEIR_UPSTREAM_POLL_MS: '100',
  // A busy machine must not hold a transfer, or end a permit that a later phase redeems.
  WEIR_DEPOSIT_DEADLINE_MS: '3600000',
  WEIR_WITHDRAWAL_DEADLINE_MS: '3600000',
  WEIR_PERMIT_TTL_MS: '3600000',
  WEIR_PERMIT_KEY_SECRET: randomBytes(24).toString('hex'),
};

export interface Outcome {
  readonly load: Load;
  readonly violations: readonly string[];
}

interface Phases {
  /** Goes on until the load has ended `perPhase` further transfers and `isDone`. Permits of the phases before are redeemed here. */
  readonly phase: (name: string, isDone?: () => Promise<void>) => Promise<void>;
  /** Changes what runs, under load. */
  readonly during: (name: string, change: () => Promise<void>) => Promise<void>;
}

const perPhase = 20;

/** Runs the load through `work`, then checks everything that it was answered. */
export async function underLoad(
  place: Place,
  options: LoadOptions,
  checked: Checked,
  versions: readonly Version[],
  work: (phases: Phases) => Promise<void>,
): Promise<Outcome> {
  const history = createHistory(checked);
  const watching = new AbortController();
  const watched = history.checkpoints.watch(watching.signal);
  const load = new Load(place, options);
  const during = async (name: string, change: () => Promise<void>): Promise<void> => {
    load.phase = name;
    const began = performance.now();
    await change();
    process.stdout.write(`${name}: ${((performance.now() - began) / 1_000).toFixed(1)} s, ${load.ended} transfers ended\n`);
  };
  try {
    await work({
      during,
      phase: (name, isDone) =>
        during(name, async () => {
          const before = load.ended;
          await load.redeemKept();
          await vi.waitFor(() => expect(load.ended).toBeGreaterThan(before + perPhase), { interval: 100 });
          await isDone?.();
        }),
    });
  } finally {
    await load.stop();
    for (const [refusal, calls] of Map.groupBy(load.refusals, (each) => each))
      process.stdout.write(`refused ${calls.length} times: ${refusal}\n`);
    watching.abort();
    await watched;
  }
  await load.redeemKept();
  return { load, violations: await findViolations(load, history, checked, versions) };
}
