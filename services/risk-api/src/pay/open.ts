import { type Clock, repeat } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import { clientAddress, type Logger, parseNetworks } from '@weir/service-kit';
import type { Registry } from 'prom-client';
import type { PayPages } from '../http/app.ts';
import type { ReportUrl } from '../http/reports.ts';
import type { TaskSettings, Tasks } from '../tasks/tasks.ts';
import { wellKnown } from './discovery.ts';
import { loadAnswer, loadPayments } from './load.ts';
import { paidOperations } from './operations.ts';
import { pollTask, startTask } from './paid-tasks.ts';
import type { Payments } from './payments.ts';
import { type PaymentConfig, paymentConfigOf } from './payment-config.ts';
import { pricesOf } from './prices.ts';
import type { PaySettings } from './settings.ts';
import { taskAnswer } from './task-page.ts';

export interface PaySurfaceParts {
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly settings: PaySettings & TaskSettings & { readonly publicUrl: string; readonly trustedProxies: string };
  readonly tasks: Tasks;
  readonly reportUrl: ReportUrl;
  readonly random: (bytes: number) => Buffer;
  readonly isOn: boolean;
}

const mostAtOnce = 20;

/** The pay-per-call surface. Loads the x402 libraries only when it is on. Fails with `ConfigError`. */
export async function openPaySurface(parts: PaySurfaceParts): Promise<{ pages: PayPages; stop(): Promise<void> }> {
  const { db, settings, tasks, reportUrl, clock, random, isOn } = parts;
  const plan = isOn ? paymentConfigOf(settings) : undefined;
  const operations = paidOperations(parts);
  const opened = plan === undefined ? undefined : await open(parts, plan);
  const stopping = new AbortController();
  const upkeep = opened === undefined ? Promise.resolve() : keepUp(opened.payments, parts, stopping.signal);
  const trusted = parseNetworks(settings.trustedProxies);
  const answer = opened?.createAnswer({
    payments: opened.payments,
    clock,
    random,
    locationOf: locationIn(settings.publicUrl),
    clientOf: (c) => clientAddress(c, trusted),
  });
  return {
    pages: {
      operations,
      answer,
      prices: pricesOf(settings.x402Prices),
      resources: (origin) => wellKnown(operations, plan, origin),
      task: async (taskId, origin) => taskAnswer(await pollTask(db, tasks, taskId, settings.taskRetentionMs), reportUrl, origin),
    },
    stop: async () => {
      stopping.abort();
      await upkeep;
    },
  };
}

async function open(parts: PaySurfaceParts, plan: PaymentConfig) {
  const { db, clock, logger, registry, settings, tasks, random } = parts;
  const [{ openPayments }, { createAnswer }] = await Promise.all([loadPayments(), loadAnswer()]);
  const payments = await openPayments({
    db,
    clock,
    logger,
    plan,
    settings,
    registry,
    random,
    waitMs: settings.syncWaitMs,
    start: (taskId, subject) => startTask(tasks, taskId, subject),
  });
  return { payments, createAnswer };
}

/** A relative path where this API does not know its public URL. */
function locationIn(publicUrl: string): (taskId: string) => string {
  return (taskId) => `${publicUrl.replace(/\/+$/, '')}/x402/tasks/${taskId}`;
}

async function keepUp(payments: Payments, { clock, logger, settings }: PaySurfaceParts, signal: AbortSignal): Promise<void> {
  const onError = (error: unknown): void => logger.warn({ err: error }, 'payments could not be looked after; they will be again');
  await repeat({ clock, every: settings.x402ReconcileMs, signal, onError }, async () => {
    await payments.reconcile({ all: false, limit: mostAtOnce, signal });
    await payments.sweep();
  });
}
