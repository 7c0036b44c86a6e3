import type { Clock } from '@weir/clock';
import { webhookEndpointOf } from '@weir/console';
import { checkPaySettings } from '@weir/risk-api';
import { createUpstreamClient } from '@weir/scoring';
import { kafkaTier, signInOptions } from '@weir/service-kit';
import type { AllSettings } from '../settings.ts';

/** What several settings together must make sense as. Each throws what the start fails with; none asks anybody. */
const checks: Readonly<Record<string, (settings: AllSettings, clock: Clock) => unknown>> = {
  kafka: kafkaTier,
  'sign-in': signInOptions,
  webhooks: webhookEndpointOf,
  'pay-per-call': checkPaySettings,
  'risk API': (settings, clock) => (settings.upstreamUrl === '' ? undefined : createUpstreamClient(settings, { clock })),
};

/** Everything that is wrong with the settings together, by what it is about. `weir start` refuses the first, `weir doctor` shows all. */
export async function faultsOfSettings(settings: AllSettings, clock: Clock): Promise<readonly { about: string; error: unknown }[]> {
  const faults: { about: string; error: unknown }[] = [];
  for (const [about, check] of Object.entries(checks)) {
    try {
      await check(settings, clock);
    } catch (error) {
      faults.push({ about, error });
    }
  }
  return faults;
}
