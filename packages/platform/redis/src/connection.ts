import { backoff, type Clock, within } from '@weir/clock';
import { Redis } from 'ioredis';
import { RedisError, redisError } from './errors.ts';
import { requireSuitable } from './server.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://`; may hold a password, so never log it. */
  readonly url: string;
  readonly clock: Clock;
  /** Told of faults of the connection, which is opened again by itself. */
  readonly onError?: (error: unknown) => void;
}

/** Every command is answered by one look into memory; a grant whose answer takes longer has long been too old to be used. */
const commandTimeoutMs = 1_000;
const connectTimeoutMs = 5_000;
/** Until it is ready: one that has just been started may be reading its data. */
const openTimeoutMs = 15_000;
const longestReconnectMs = 2_000;

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
    retryStrategy: (times) => backoff(times, { firstMs: 100, longestMs: longestReconnectMs }),
    // The primary has become a replica; its address may lead to the new one by now.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
  });
  let latest: unknown;
  redis.on('error', (error: unknown) => {
    latest = error;
    onError?.(redisError(error));
  });
  try {
    await within(clock, openTimeoutMs, async () => {
      await redis.connect();
      await requireSuitable(redis);
    });
    return redis;
  } catch (error) {
    redis.disconnect();
    // That the connection has closed is all that `connect` knows.
    throw error instanceof RedisError ? error : redisError(latest ?? error);
  }
}
