import type { Clock } from '@weir/clock';
import { EventLogError } from '../errors.ts';
import type { OAuthClient } from './security.ts';

const timeoutMs = 10_000;
/** Renews early, so that a new connection can finish its work. */
const usedShare = 0.8;
/** RFC 6749 makes `expires_in` optional. */
const defaultLifeMs = 60_000;

interface Token {
  readonly value: string;
  /** On the monotonic clock. */
  readonly renewAt: number;
}

/** The token provider for kafkajs, called at each connection. It caches one token until nearly expired. */
export function oauthTokens(client: OAuthClient, clock: Clock): () => Promise<{ value: string }> {
  let current: Promise<Token> | undefined;
  return async () => {
    const known = await current?.catch(() => undefined);
    if (known !== undefined && clock.monotonic() < known.renewAt) return { value: known.value };
    current = requestToken(client, clock);
    return { value: (await current).value };
  };
}

async function requestToken({ tokenUrl, clientId, clientSecret, scope }: OAuthClient, clock: Clock): Promise<Token> {
  const credentials = Buffer.from(`${encodeURIComponent(clientId)}:${encodeURIComponent(clientSecret)}`).toString('base64');
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope === undefined ? {} : { scope }) });
  const answer = await fetch(tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: form.toString(),
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
  }).catch((cause: unknown) => {
    throw new EventLogError('LOG_UNAVAILABLE', 'the token endpoint of Kafka cannot be reached', { cause });
  });
  const body = (await answer.json().catch(() => ({}))) as { access_token?: unknown; expires_in?: unknown };
  if (!answer.ok || typeof body.access_token !== 'string')
    throw new EventLogError('LOG_FAILED', `the token endpoint of Kafka gave no token (HTTP ${answer.status})`);
  const seconds = Number(body.expires_in);
  const lifeMs = Number.isFinite(seconds) && seconds > 0 ? seconds * 1_000 : defaultLifeMs;
  return { value: body.access_token, renewAt: clock.monotonic() + lifeMs * usedShare };
}
