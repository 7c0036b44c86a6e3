import { systemClock } from '@weir/clock';
import { factsFor, openProvider } from '@weir/scoring';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { note } from '../output.ts';
import type { AllSettings } from '../settings.ts';
import type { AskOptions } from './ask.ts';
import { Pacer } from './pacer.ts';
import { findUpstream } from './upstream.ts';

export interface ScreenFlags extends PlaceFlags {
  readonly direction?: string;
  readonly kind?: string;
  readonly usdValue?: string;
  readonly toAddress?: string;
  readonly amount?: string;
  readonly wait: number;
  readonly json?: true;
  readonly out?: string;
  readonly resume?: true;
  readonly keepFormulas?: true;
  readonly pay?: true;
  readonly payKeyFile?: string;
  readonly maxUsdc?: string;
}

/** A flag without effect is a mistake, and these would cost money. */
export function refuseWithoutPay({ payKeyFile, maxUsdc }: ScreenFlags): void {
  if (payKeyFile !== undefined || maxUsdc !== undefined) throw new UsageError('--pay-key-file and --max-usdc go with --pay');
}

/** Opens the configured provider, with its limits. */
export function open(flags: ScreenFlags, settings: AllSettings, undo: (() => Promise<unknown>)[]): AskOptions {
  const of = findUpstream(flags, settings);
  const stop = new AbortController();
  undo.push(async () => stop.abort());
  const clock = systemClock;
  for (const capped of of.capped) note(`weir: ${capped}`);
  const { provider } = openProvider(of, { clock });
  return {
    provider,
    factsOf: factsFor([provider], of.apiKey),
    pacer: new Pacer({ clock, limits: provider.limits, signal: stop.signal }),
    clock,
    pollMs: settings.upstreamPollMs,
    maxAgeMs: settings.maxAnswerAgeMs,
    waitMs: flags.wait * 1_000,
    signal: stop.signal,
  };
}
