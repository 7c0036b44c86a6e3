import type { Clock } from '@weir/clock';
import { importOptional, optionalPackages } from '@weir/optional-packages';
import type { Queryable } from '@weir/postgres';
import type { RiskStore } from '@weir/risk-engine';
import { clientAddress, type Jobs, type Logger, parseNetworks } from '@weir/service-kit';
import type { Registry } from 'prom-client';
import type { Surface } from '../../http/surface.ts';
import { paymentCors, payRoutes } from './routes.ts';
import type { ReportUrl } from '../../reports/query.ts';
import type { Turns } from '../../reports/turns.ts';
import type { TaskSettings, Tasks } from '../../runs/tasks.ts';
import { paymentInfo, wellKnown, wellKnownPage } from './discovery.ts';
import { loadPayments } from '../../payments/load.ts';
import { paidOperations } from './operations.ts';
import { pollTask, startTask, taskAnswer, taskPage } from './tasks.ts';
import type { Payments } from '../../payments/payments.ts';
import { type PaymentConfig, paymentConfigOf } from '../../payments/payment-config.ts';
import { pricesOf } from '../../payments/prices.ts';
import type { PaySettings } from '../../payments/settings.ts';

export interface PaySurfaceParts {
  readonly db: Queryable;
  readonly store: RiskStore;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly registry: Registry;
  readonly settings: PaySettings & TaskSettings & { readonly publicUrl: string; readonly trustedProxies: string };
  readonly tasks: Tasks;
  readonly jobs: Jobs;
  readonly reportUrl: ReportUrl;
  readonly traces: Turns;
  readonly random: (bytes: number) => Buffer;
  readonly isOn: boolean;
}

const mostAtOnce = 20;
const loadAnswer = () => importOptional('pay-per-call', optionalPackages.x402, () => import('./answer.ts'));

/** The pay-per-call surface. Loads the x402 libraries only when it is on. Fails with `ConfigError`. */
export async function openPaySurface(parts: PaySurfaceParts): Promise<{ surface: Surface; stop(): Promise<void> }> {
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
  const prices = pricesOf(settings.x402Prices);
  const surface: Surface = {
    name: 'x402',
    operations: operations.map((own) => ({ ...own, extensions: paymentInfo(own, prices) })),
    pages: [wellKnownPage, taskPage],
    openPaths: [wellKnownPage.path],
    use: (app) => {
      for (const path of ['/x402/*', wellKnownPage.path]) app.use(path, paymentCors());
    },
    routes: (app, originOf) => {
      payRoutes(app, operations, answer, originOf);
      app.get(wellKnownPage.path, (c) => c.json(wellKnown(operations, plan, originOf(c))));
      app.get(taskPage.path.replace('{task_id}', ':task_id'), async (c) => {
        const run = await pollTask(db, tasks, c.req.param('task_id') ?? '', settings.taskRetentionMs);
        return c.json(await taskAnswer(run, reportUrl, originOf(c)));
      });
    },
  };
  return {
    surface,
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

async function keepUp(payments: Payments, { jobs, settings }: PaySurfaceParts, signal: AbortSignal): Promise<void> {
  const job = { service: 'risk-api', name: 'reconcile-payments', everyMs: settings.x402ReconcileMs, signal, atStart: true };
  await jobs.repeat(job, async () => {
    await payments.reconcile({ all: false, limit: mostAtOnce, signal });
    await payments.sweep();
  });
}
