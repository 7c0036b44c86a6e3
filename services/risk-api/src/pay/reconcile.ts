import { randomBytes } from 'node:crypto';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { ConfigError, type Logger } from '@weir/service-kit';
import { Registry } from 'prom-client';
import { loadPayments } from './load.ts';
import { paymentConfigOf } from './payment-config.ts';
import { countUnknown } from './upkeep.ts';
import type { PaySettings } from './settings.ts';

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
