import type { Clock } from '@weir/clock';
import { type Pool, transaction } from '@weir/postgres';
import { measureLag, type Pipeline, recordActivity, type Service, subscribeStage } from '@weir/service-kit';
import type { ConsoleMetrics } from '../metrics.ts';
import { beginOf, noteBegun, webhookGroup as group } from './begun.ts';
import { type Endpoint, endpointOf, type WebhookSettings } from './config.ts';
import { store } from './deliveries.ts';
import { forgetGone } from './gone.ts';
import { deliveryOf } from './payload.ts';
import { queueAgain } from './query.ts';
import { type Retry, webhookOperations } from './routes.ts';
import { Sender } from './sender.ts';
import { keepSwept, measureDeliveries } from './upkeep.ts';

/** Decisions in one statement at most. */
const maxBatch = 250;
/** Batches decisions; too short for a receiver to notice. */
const lingerMs = 20;

type WebhookService = Required<Pick<Service, 'operations' | 'warnings' | 'stop'>>;

/** Posts each decision to a receiver. The console's tables must exist. Without WEIR_WEBHOOK_URL only the delivery log works. */
export async function startWebhooks(pipeline: Pipeline, metrics: ConsoleMetrics, settings: WebhookSettings): Promise<WebhookService> {
  const endpoint = endpointOf(settings);
  if (endpoint !== undefined) return startPosting(pipeline, metrics, settings, endpoint);
  pipeline.logger.info('webhooks are off: WEIR_WEBHOOK_URL is not set');
  // The group keeps its position and its unread records while webhooks are off.
  measureLag(pipeline, group);
  return { operations: webhookOperations(pipeline.pool, pipeline.access, undefined), warnings: () => [], stop: async () => undefined };
}

async function startPosting(
  pipeline: Pipeline,
  metrics: ConsoleMetrics,
  settings: WebhookSettings,
  endpoint: Endpoint,
): Promise<WebhookService> {
  const { pool, access, clock, logger } = pipeline;
  const sender = new Sender({
    pool,
    clock,
    logger,
    metrics,
    endpoint,
    concurrency: settings.webhookConcurrency,
    owner: () => pipeline.session.owner(),
  });
  pipeline.metrics.onScrape(() => measureDeliveries(pool, metrics, clock.now()));
  const subscription = await subscribeStage(pipeline, {
    group,
    topics: ['screenings.decided'],
    // The first start sends the decisions that the log still has.
    begin: await beginOf(pool, group),
    maxBatch,
    lingerMs,
    handle: async (events) => {
      await store(pool, events.map(deliveryOf), clock.now());
      sender.notify();
    },
  });
  await noteBegun(pool, group);
  sender.start();
  const stop = new AbortController();
  const sweeping = keepSwept(pipeline, settings.webhookKeepMs, stop.signal);
  logger.info({ host: endpoint.url.host, signatures: endpoint.signers.length }, 'decisions are posted as webhooks');
  const retry = createRetry(pool, clock, endpoint, sender);
  return {
    operations: webhookOperations(pool, access, retry),
    warnings: () => (sender.isGone ? ['no webhooks are sent: the receiver has answered 410 Gone'] : []),
    stop: async () => {
      await subscription.stop();
      stop.abort('stopped');
      await Promise.all([sweeping, sender.stop()]);
    },
  };
}

function createRetry(pool: Pool, clock: Clock, endpoint: Endpoint, sender: Sender): Retry {
  return async (eventId, by) => {
    const queued = await transaction(pool, async (tx) => {
      const at = clock.now();
      const found = await queueAgain(tx, eventId, at);
      if (found !== undefined) await recordActivity(tx, { action: 'webhook_retried', subjectType: 'webhooks', subject: eventId, by, at });
      return found;
    });
    if (queued === undefined) return undefined;
    await forgetGone(pool, endpoint.url);
    sender.notify();
    return queued;
  };
}
