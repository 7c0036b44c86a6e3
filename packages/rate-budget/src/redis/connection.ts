import type { Clock } from '@weir/clock';
import { Redis } from 'ioredis';
import { RedisError, redisError } from './errors.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://`; may hold a password, so never log it. */
  readonly url: string;
  readonly clock: Clock;
  /** Told of faults of the connection, which is opened again by itself. */
  readonly onError?: (error: unknown) => void;
}

/** A grant whose answer takes longer has long been too old to be used. */
const commandTimeoutMs = 1_000;
const connectTimeoutMs = 5_000;
/** Until it is ready: one that has just been started may be reading its data. */
const openTimeoutMs = 15_000;
const longestReconnectMs = 2_000;
/** Scripts that ask INFO for several sections, and send what they did instead of themselves to replicas. */
const leastMajorVersion = 7;

/**
 * Connects, looks whether this Redis will do, and keeps the connection open. A command is refused at once while the connection is away, ends within
 * a second, and is never sent twice: a grant given back twice would be spent twice. Rejects with `RedisError`.
 */
export async function connectRedis({ url, clock, onError }: RedisOptions): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectionName: 'weir',
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    // A connection that has died without a word is replaced.
    socketTimeout: 2 * commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => Math.min(50 * 2 ** Math.min(times, 10), longestReconnectMs),
    // The primary has become a replica; its address may lead to the new one by now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  let latest: unknown;
  redis.on('error', (error: unknown) => {
    latest = error;
    onError?.(redisError(error));
  });
  const limit = new AbortController();
  void clock.sleep(openTimeoutMs, limit.signal).then(() => {
    if (!limit.signal.aborted) redis.disconnect();
  });
  try {
    await redis.connect();
    await requireSuitable(redis);
    return redis;
  } catch (error) {
    redis.disconnect();
    // That the connection has closed is all that `connect` knows.
    throw error instanceof RedisError ? error : redisError(latest ?? error);
  } finally {
    limit.abort();
  }
}

/** Rejects with `REDIS_UNSUITABLE` and one line for the operator when this server could lose what it is told, or cannot run the script. */
export async function requireSuitable(redis: Redis): Promise<void> {
  const info = await redis.info('server', 'memory').catch((error: unknown) => {
    throw redisError(error);
  });
  const fields = new Map(info.split('\r\n').map((line) => line.split(':', 2) as [string, string | undefined]));
  const fault = faultOf({
    version: fields.get('redis_version') ?? '',
    mode: fields.get('redis_mode') ?? '',
    policy: fields.get('maxmemory_policy') ?? '',
  });
  if (fault !== undefined) throw new RedisError('REDIS_UNSUITABLE', fault);
}

function faultOf({ version, mode, policy }: { version: string; mode: string; policy: string }): string | undefined {
  if (!(Number.parseInt(version, 10) >= leastMajorVersion)) return `Redis ${version} is too old: ${leastMajorVersion}.0 or newer is needed`;
  if (mode !== 'standalone') return `Redis runs in ${mode} mode; a single primary, with replicas if you like, is needed`;
  if (policy !== 'noeviction') return `Redis has maxmemory-policy ${policy} and would drop what it is told; set it to noeviction`;
  return undefined;
}
