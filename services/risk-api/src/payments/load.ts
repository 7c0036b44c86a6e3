import { randomBytes } from 'node:crypto';
import type { Clock } from '@weir/clock';
import { importOptional, optionalPackages } from '@weir/optional-packages';
import type { Queryable } from '@weir/postgres';
import { ConfigError, type Logger } from '@weir/service-kit';
import { Registry } from 'prom-client';
import { paymentConfigOf } from './payment-config.ts';
import type { PaySettings } from './settings.ts';
import { countUnknown } from './upkeep.ts';

/** The x402 libraries are loaded only where something can be paid. */
export const loadPayments = () => importOptional('pay-per-call', optionalPackages.x402, () => import('./payments.ts'));

/** Fails with `ConfigError` where the pay-per-call surface would not start. Makes no network call. */
export async function checkPaySettings(settings: PaySettings & { readonly surfaces: string }, clock: Clock): Promise<void> {
  const plan = settings.surfaces.split(',').includes('x402') ? paymentConfigOf(settings) : undefined;
  if (plan === undefined) return;
  const { facilitatorOf } = await loadPayments();
  await facilitatorOf(plan, settings, clock);
}

const limit = 1_000;

/** Needs no running service. `open` counts the payments left. Fails with `ConfigError` where nothing could settle them. */
export async function reconcilePayments(options: {
  db: Queryable;
  clock: Clock;
  logger: Logger;
  settings: PaySettings;
}): Promise<{ settled: number; refused: number; open: number }> {
  const { db, clock, logger, settings } = options;
  const plan = paymentConfigOf(settings);
  if (plan === undefined)
    throw new ConfigError('setting WEIR_X402_PAY_TO_EVM or WEIR_X402_PAY_TO_SOLANA is needed: set what the risk API runs with');
  const { openPayments } = await loadPayments();
  const payments = await openPayments({
    db,
    clock,
    logger,
    plan,
    settings,
    registry: new Registry(),
    random: randomBytes,
    waitMs: 0,
  });
  const counts = await payments.reconcile({ all: true, limit });
  // Counted anew: another process may own some of them, and the limit may leave some.
  return { ...counts, open: await countUnknown(db) };
}
