import { backoff, type Clock, within } from '@weir/clock';
import { Redis } from 'ioredis';
import { RedisError, redisError } from './errors.ts';
import { requireSuitable } from './server.ts';

export interface RedisOptions {
  /** `redis://` or `rediss://`; may hold a password, so never log it. */
  readonly url: string;
  readonly clock: Clock;
  /** Receives connection errors; the client reconnects by itself. */
  readonly onError?: (error: unknown) => void;
}

/** Redis answers every command from memory. A grant that takes longer is too old to use. */
const commandTimeoutMs = 1_000;
const connectTimeoutMs = 5_000;
/** Until it is ready: a fresh server may still load its data. */
const openTimeoutMs = 15_000;
const longestReconnectMs = 2_000;

/**
 * Keeps a connection to a suitable Redis. Commands fail at once while disconnected, else within a second. None is sent twice: a double
 * refund would be spent. Rejects with `RedisError`.
 */
export async function connectRedis({ url, clock, onError }: RedisOptions): Promise<Redis> {
  const redis = new Redis(url, {
    lazyConnect: true,
    connectionName: 'weir',
    connectTimeout: connectTimeoutMs,
    commandTimeout: commandTimeoutMs,
    // Replaces a connection that died silently.
    socketTimeout: 2 * commandTimeoutMs,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    retryStrategy: (times) => backoff(times, { firstMs: 100, longestMs: longestReconnectMs }),
    // The primary became a replica; its address may now lead to the new primary.
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
    // `connect` knows only that the connection closed.
    throw error instanceof RedisError ? error : redisError(latest ?? error);
  }
}
