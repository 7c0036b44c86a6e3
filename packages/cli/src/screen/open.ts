import { systemClock } from '@weir/clock';
import { RiskClient } from '@weir/risk-client';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import type { AllSettings } from '../settings.ts';
import type { AskOptions } from './ask.ts';
import { Pacer } from './pacer.ts';
import { findUpstream } from './upstream.ts';

export interface ScreenFlags extends PlaceFlags {
  readonly direction?: string;
  readonly kind?: string;
  readonly usdValue?: string;
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

/** Opens the client of the API, with its limits. `provider` is the host. */
export function open(
  flags: ScreenFlags,
  settings: AllSettings,
  undo: (() => Promise<unknown>)[],
): { askOptions: AskOptions; provider: string } {
  const { url, apiKey, keyIn } = findUpstream(flags, settings);
  const stop = new AbortController();
  undo.push(async () => stop.abort());
  const limits = { perSecond: settings.upstreamPerSecond, perDay: settings.upstreamPerDay };
  const clock = systemClock;
  const askOptions: AskOptions = {
    client: new RiskClient({ baseUrl: url, apiKey, keyIn, clock }),
    pacer: new Pacer({ clock, limits, signal: stop.signal }),
    clock,
    pollMs: settings.upstreamPollMs,
    maxAgeMs: settings.maxAnswerAgeMs,
    waitMs: flags.wait * 1_000,
    signal: stop.signal,
  };
  return { askOptions, provider: new URL(url).host };
}
