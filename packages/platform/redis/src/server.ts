import type { Redis } from 'ioredis';
import { RedisError, redisError } from './errors.ts';

export interface RedisServer {
  readonly version: string;
  /** `standalone`, `sentinel` or `cluster`. */
  readonly mode: string;
  readonly role: string;
  readonly maxmemoryPolicy: string;
  /** 0: no limit. */
  readonly maxmemoryBytes: number;
  readonly usedMemoryBytes: number;
  readonly isAppendOnly: boolean;
  /** Whether the last write of its RDB and AOF files succeeded. */
  readonly writesFiles: boolean;
}

/** Since then INFO takes several sections, and replicas receive a script's effects instead of the script. */
const leastMajorVersion = 7;

/** Uses INFO, which needs no right to read the configuration. Rejects with `RedisError`. */
export async function readServer(redis: Redis): Promise<RedisServer> {
  const info = await redis.info('server', 'memory', 'persistence', 'replication').catch((error: unknown) => {
    throw redisError(error);
  });
  const fields = new Map(info.split('\r\n').map((line) => line.split(':', 2) as [string, string | undefined]));
  const text = (name: string): string => fields.get(name) ?? '';
  const files = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'];
  return {
    version: text('redis_version'),
    mode: text('redis_mode'),
    role: text('role'),
    maxmemoryPolicy: text('maxmemory_policy'),
    maxmemoryBytes: Number(text('maxmemory')),
    usedMemoryBytes: Number(text('used_memory')),
    isAppendOnly: text('aof_enabled') === '1',
    writesFiles: files.every((name) => text(name) !== 'err'),
  };
}

/** Why this server could lose data or cannot run the scripts, in one line; undefined if suitable. */
export function unsuitability({ version, mode, maxmemoryPolicy }: RedisServer): string | undefined {
  if (!(Number.parseInt(version, 10) >= leastMajorVersion)) return `Redis ${version} is too old: ${leastMajorVersion}.0 or newer is needed`;
  if (mode !== 'standalone') return `Redis runs in ${mode} mode; a single primary, with replicas if you like, is needed`;
  if (maxmemoryPolicy !== 'noeviction') return `Redis has maxmemory-policy ${maxmemoryPolicy} and would evict keys; set it to noeviction`;
  return undefined;
}

export async function requireSuitable(redis: Redis): Promise<void> {
  const fault = unsuitability(await readServer(redis));
  if (fault !== undefined) throw new RedisError('REDIS_UNSUITABLE', fault);
}
