import type { Clock } from '@weir/clock';
import { webhookEndpointOf } from '@weir/console';
import { checkPaySettings } from '@weir/risk-api';
import { checkProviders } from '@weir/scoring';
import { kafkaTier, signInOptions } from '@weir/service-kit';
import type { InstallationSettings } from './settings.ts';

/** Checks of several settings together. Each throws the error of the start; none makes a network call. */
const checks: Readonly<Record<string, (settings: InstallationSettings, clock: Clock) => unknown>> = {
  kafka: kafkaTier,
  'sign-in': signInOptions,
  webhooks: webhookEndpointOf,
  'pay-per-call': checkPaySettings,
  'risk API': checkProviders,
};

/** Every inconsistency of the settings, by topic. `weir start` fails with the first, `weir doctor` shows all. */
export async function faultsOfSettings(
  settings: InstallationSettings,
  clock: Clock,
): Promise<readonly { about: string; error: unknown }[]> {
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
