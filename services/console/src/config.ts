import { reviewSchema, type ReviewSettings } from '@weir/reviews/settings';
import type { Schema } from '@weir/service-kit';
import { webhookSchema, type WebhookSettings } from './webhooks/config.ts';

export interface ConsoleSettings extends WebhookSettings, ReviewSettings {
  consoleBatch: number;
  caseDueMs: number;
  sessionIdleMs: number;
  sessionMaxMs: number;
}

export const consoleSchema: Schema<ConsoleSettings> = {
  consoleBatch: {
    doc: 'Events taken into the list of screenings in one statement at most',
    format: 'positive-int',
    default: 250,
    env: 'WEIR_CONSOLE_BATCH',
  },
  caseDueMs: {
    doc: 'A case is due this long after its first hold, unless a person sets another time. Open past it, it is escalated',
    format: 'positive-int',
    default: 86_400_000,
    env: 'WEIR_CASE_DUE_MS',
  },
  sessionIdleMs: {
    doc: 'A session of the web console ends after this time without a request',
    format: 'positive-int',
    default: 1_800_000,
    env: 'WEIR_SESSION_IDLE_MS',
  },
  sessionMaxMs: {
    doc: 'A session of the web console ends after this time',
    format: 'positive-int',
    default: 43_200_000,
    env: 'WEIR_SESSION_MAX_MS',
  },
  ...reviewSchema,
  ...webhookSchema,
};
