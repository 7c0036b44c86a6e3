import { ReplyError } from 'ioredis';

/**
 * Errors of Redis.
 *
 * | Code | Retriable | Remedy |
 * |---|---|---|
 * | `REDIS_UNAVAILABLE` | yes | Redis cannot be reached, is starting, or does not answer in time |
 * | `REDIS_UNWRITABLE` | yes | it takes no writes: see the message (its memory or disk is full, or it is a replica) |
 * | `REDIS_UNSUITABLE` | no | see the message: how it is set up, its version, or what this user may do there |
 */
export type RedisErrorCode = 'REDIS_UNAVAILABLE' | 'REDIS_UNWRITABLE' | 'REDIS_UNSUITABLE';

export class RedisError extends Error {
  readonly code: RedisErrorCode;
  readonly retriable: boolean;

  constructor(code: RedisErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'RedisError';
    this.code = code;
    this.retriable = code !== 'REDIS_UNSUITABLE';
  }
}

/** Keyed by the first word of an error reply, the protocol's error code. */
const replies: Readonly<Record<string, readonly [RedisErrorCode, string]>> = {
  OOM: ['REDIS_UNWRITABLE', 'Redis takes no writes: its memory is full (maxmemory)'],
  MISCONF: ['REDIS_UNWRITABLE', 'Redis takes no writes: it cannot write to its disk'],
  READONLY: ['REDIS_UNWRITABLE', 'Redis takes no writes: it is a replica'],
  NOREPLICAS: ['REDIS_UNWRITABLE', 'Redis takes no writes: too few replicas follow it'],
  LOADING: ['REDIS_UNAVAILABLE', 'Redis is loading its data'],
  BUSY: ['REDIS_UNAVAILABLE', 'Redis is busy with a script'],
  MASTERDOWN: ['REDIS_UNAVAILABLE', 'Redis is a replica without its primary'],
  NOAUTH: ['REDIS_UNSUITABLE', 'Redis asks for a password, and REDIS_URL has none'],
  WRONGPASS: ['REDIS_UNSUITABLE', 'Redis refuses the user or the password of REDIS_URL'],
  NOPERM: [
    'REDIS_UNSUITABLE',
    'Redis does not let the user of REDIS_URL do what is needed: everything on keys weir:*, and info, time, ping, client',
  ],
};

/** Names the errors of ioredis. An error reply without a name here is our bug, and is returned unchanged. */
export function redisError(error: unknown): unknown {
  if (error instanceof RedisError) return error;
  if (!(error instanceof ReplyError)) return new RedisError('REDIS_UNAVAILABLE', 'Redis cannot be reached', { cause: error });
  const known = replies[(error as Error).message.split(' ', 1)[0] ?? ''];
  return known === undefined ? error : new RedisError(known[0], known[1], { cause: error });
}
