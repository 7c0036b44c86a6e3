import type { Schema } from '@weir/service-kit';
import { ConfigError, isLoopback } from '@weir/service-kit/config';
import { Webhook } from 'standardwebhooks';

export interface WebhookSettings {
  /** Empty: no webhooks. */
  webhookUrl: string;
  webhookAllowHttp: boolean;
  /** `whsec_…`, separated by commas. */
  webhookSecrets: string;
  webhookTimeoutMs: number;
  /** Seconds before each retry, separated by commas. */
  webhookRetryDelaysS: string;
  webhookConcurrency: number;
  webhookKeepMs: number;
}

/** The schedule of Standard Webhooks: ten attempts in a little more than three days. */
const suggestedDelaysS = '5,300,1800,7200,18000,36000,50400,72000,86400';
/** Two suffice for a rotation without a gap; each adds a signature to the header. */
const mostSecrets = 5;
const mostDelays = 50;
const longestDelayS = 7 * 86_400;

export const webhookSchema: Schema<WebhookSettings> = {
  webhookUrl: {
    doc: 'Where each decision is posted, signed (Standard Webhooks), https://…; empty: nowhere',
    format: 'http-url',
    default: '',
    env: 'WEIR_WEBHOOK_URL',
  },
  webhookAllowHttp: {
    doc: 'Whether WEIR_WEBHOOK_URL may be http:// to another machine: whoever is on the way can then read every decision',
    format: Boolean,
    default: false,
    env: 'WEIR_WEBHOOK_ALLOW_HTTP',
  },
  webhookSecrets: {
    doc: 'Secrets that sign webhooks: whsec_ and base64 of 24 to 64 random bytes; several with commas all sign, so that they can be changed',
    format: (value: unknown) => {
      if (typeof value !== 'string' || !listOf(value).every(isSecret) || listOf(value).length > mostSecrets)
        throw new Error(`must be whsec_ and base64 of 24 to 64 bytes, up to ${mostSecrets} with commas`);
    },
    default: '',
    env: 'WEIR_WEBHOOK_SECRETS',
    sensitive: true,
  },
  webhookTimeoutMs: {
    doc: 'How long one webhook may take to be answered',
    format: 'positive-int',
    default: 10_000,
    env: 'WEIR_WEBHOOK_TIMEOUT_MS',
  },
  webhookRetryDelaysS: {
    doc: 'Seconds before each repeat of a webhook that was not taken, with commas; after the last one it is given up',
    format: (value: unknown) => {
      const delays = typeof value === 'string' ? value.split(',') : [];
      if (delays.length === 0 || delays.length > mostDelays || !delays.every(isDelay))
        throw new Error(`must be 1 to ${mostDelays} whole numbers of seconds with commas, each from 1 to ${longestDelayS}`);
    },
    default: suggestedDelaysS,
    env: 'WEIR_WEBHOOK_RETRY_DELAYS_S',
  },
  webhookConcurrency: {
    doc: 'Webhooks under way at once, by each replica of the console',
    format: 'positive-int',
    default: 8,
    env: 'WEIR_WEBHOOK_CONCURRENCY',
  },
  webhookKeepMs: {
    doc: 'How long the delivery log keeps what was delivered',
    format: 'positive-int',
    default: 604_800_000,
    env: 'WEIR_WEBHOOK_KEEP_MS',
  },
};

/** The receiver and how to send. */
export interface Endpoint {
  readonly url: URL;
  /** One for each secret. */
  readonly signers: readonly Webhook[];
  readonly timeoutMs: number;
  /** Before each retry. */
  readonly delaysMs: readonly number[];
}

/** Undefined without a URL. Throws `ConfigError`, which holds no values, for inconsistent settings. */
export function endpointOf(settings: WebhookSettings): Endpoint | undefined {
  if (settings.webhookUrl === '') return undefined;
  const url = new URL(settings.webhookUrl);
  if (url.username !== '' || url.password !== '' || url.hash !== '')
    throw new ConfigError('setting WEIR_WEBHOOK_URL is wrong: must have no user, password or fragment');
  if (url.protocol !== 'https:' && !settings.webhookAllowHttp && !isLoopback(url))
    throw new ConfigError(
      'setting WEIR_WEBHOOK_URL is wrong: must be https, unless WEIR_WEBHOOK_ALLOW_HTTP is true or it is on this machine',
    );
  const secrets = listOf(settings.webhookSecrets);
  if (secrets.length === 0) throw new ConfigError('setting WEIR_WEBHOOK_SECRETS is missing: webhooks must be signed');
  return {
    url,
    signers: secrets.map((secret) => new Webhook(secret)),
    timeoutMs: settings.webhookTimeoutMs,
    delaysMs: settings.webhookRetryDelaysS.split(',').map((text) => Number(text) * 1_000),
  };
}

function listOf(text: string): string[] {
  return text === '' ? [] : text.split(',').map((part) => part.trim());
}

function isSecret(text: string): boolean {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(text) ?? [];
  if (base64 === undefined || base64.length % 4 !== 0) return false;
  const bytes = Buffer.from(base64, 'base64').length;
  return bytes >= 24 && bytes <= 64;
}

function isDelay(text: string): boolean {
  return /^ *[0-9]{1,6} *$/.test(text) && Number(text) >= 1 && Number(text) <= longestDelayS;
}
