import { reviewSchema, type ReviewSettings } from '@weir/reviews/settings';
import type { Schema } from '@weir/service-kit';
import { webhookSchema, type WebhookSettings } from './webhooks/config.ts';

export interface ConsoleSettings extends WebhookSettings, ReviewSettings {
  consoleBatch: number;
}

export const consoleSchema: Schema<ConsoleSettings> = {
  consoleBatch: {
    doc: 'Events taken into the list of screenings in one statement at most',
    format: 'positive-int',
    default: 250,
    env: 'WEIR_CONSOLE_BATCH',
  },
  ...reviewSchema,
  ...webhookSchema,
};
