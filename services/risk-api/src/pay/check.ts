import type { Clock } from '@weir/clock';
import { loadPayments } from './load.ts';
import { paymentConfigOf } from './payment-config.ts';
import type { PaySettings } from './settings.ts';

/** Fails with `ConfigError` where the pay-per-call surface would not start. Makes no network call. */
export async function checkPaySettings(settings: PaySettings & { readonly surfaces: string }, clock: Clock): Promise<void> {
  const plan = settings.surfaces.split(',').includes('x402') ? paymentConfigOf(settings) : undefined;
  if (plan === undefined) return;
  const { facilitatorOf } = await loadPayments();
  await facilitatorOf(plan, settings, clock);
}
