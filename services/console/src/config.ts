import { parseAmount } from '@weir/chains';
import type { Schema } from '@weir/service-kit';
import { webhookSchema, type WebhookSettings } from './webhooks/config.ts';

export interface ConsoleSettings extends WebhookSettings {
  consoleBatch: number;
  /** Decimal text in USD; empty for none. */
  reviewSingleBelowUsd: string;
}

export const consoleSchema: Schema<ConsoleSettings> = {
  consoleBatch: {
    doc: 'Events taken into the list of screenings in one statement at most',
    format: 'positive-int',
    default: 250,
    env: 'WEIR_CONSOLE_BATCH',
  },
  reviewSingleBelowUsd: {
    doc: 'Held transfers of a known value below this many USD are resolved by one person; empty: always two',
    format: (value: unknown) => {
      if (value !== '' && (typeof value !== 'string' || parseAmount(value) === undefined)) throw new Error('must be a decimal number');
    },
    default: '',
    env: 'WEIR_REVIEW_SINGLE_BELOW_USD',
  },
  ...webhookSchema,
};
