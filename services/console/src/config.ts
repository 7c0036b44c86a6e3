import { reviewSchema, type ReviewSettings } from '@weir/reviews/settings';
import type { Schema } from '@weir/service-kit';
import { type SessionSettings, sessionSchema } from '@weir/sessions/settings';
import { type ForwardSettings, forwardSchema } from './forward/config.ts';
import { type HealthSettings, healthSchema } from './health/config.ts';
import { webhookSchema, type WebhookSettings } from './webhooks/config.ts';

export interface ConsoleSettings extends WebhookSettings, ReviewSettings, SessionSettings, ForwardSettings, HealthSettings {
  consoleBatch: number;
  reviewDueMs: number;
  caseDueMs: number;
  oidcClientId: string;
  oidcClientSecret: string;
  oidcScopes: string;
}

export const consoleSchema: Schema<ConsoleSettings> = {
  consoleBatch: {
    doc: 'Events taken into the list of screenings in one statement at most',
    format: 'positive-int',
    default: 250,
    env: 'WEIR_CONSOLE_BATCH',
  },
  reviewDueMs: {
    doc: 'A review is due this long after it began to wait for people, unless a person sets another time. 0: by itself it has no due time',
    format: 'non-negative-int',
    default: 86_400_000,
    env: 'WEIR_REVIEW_DUE_MS',
  },
  caseDueMs: {
    doc: 'A case is due this long after its first hold, unless a person sets another time. Open past it, it is escalated',
    format: 'positive-int',
    default: 86_400_000,
    env: 'WEIR_CASE_DUE_MS',
  },
  oidcClientId: {
    doc: "The console's client id at the OIDC provider: people sign in at its page, with the redirect address /sign-in/callback. Empty: by a token alone",
    format: String,
    default: '',
    env: 'WEIR_OIDC_CLIENT_ID',
  },
  oidcClientSecret: {
    doc: 'The secret of that client; empty: a public client',
    format: String,
    default: '',
    env: 'WEIR_OIDC_CLIENT_SECRET',
    sensitive: true,
  },
  oidcScopes: {
    doc: 'Scopes that the console asks for, with spaces. Its ID token must contain WEIR_OIDC_ROLE_CLAIM',
    format: String,
    default: 'openid profile email',
    env: 'WEIR_OIDC_SCOPES',
  },
  ...sessionSchema,
  ...forwardSchema,
  ...healthSchema,
  ...reviewSchema,
  ...webhookSchema,
};
