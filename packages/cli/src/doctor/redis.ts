import { systemClock } from '@weir/clock';
import { connectRedis, readServer, type RedisServer } from '@weir/redis';
import { lineOf } from '../failure.ts';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, remark, wrong } from './finding.ts';

const mebibyte = 1024 * 1024;
/** With `noeviction` a full Redis rejects writes, so the warning comes early. */
const fullAbove = 0.8;

/** Whether Redis is reachable, suitable and persistent; nothing when none is configured. */
export async function examineRedis({ redisUrl }: Pick<AllSettings, 'redisUrl'>): Promise<Finding[]> {
  if (redisUrl === '') return [];
  try {
    const redis = await connectRedis({ url: redisUrl, clock: systemClock });
    try {
      return findingsOf(await readServer(redis));
    } finally {
      redis.disconnect();
    }
  } catch (error) {
    return [wrong('redis', lineOf(error))];
  }
}

function findingsOf(server: RedisServer): Finding[] {
  if (server.role !== 'master') return [wrong('redis', 'it is a replica and takes no writes; let REDIS_URL lead to the primary')];
  const reached = ok('redis', `Redis ${server.version}, noeviction; holds the rate budget and the queue of scores`);
  return [reached, memory(server), files(server)];
}

function memory({ usedMemoryBytes, maxmemoryBytes }: RedisServer): Finding {
  const megabytes = (bytes: number): string => `${Math.ceil(bytes / mebibyte).toLocaleString('en')} MB`;
  if (maxmemoryBytes === 0) return ok('redis memory', `${megabytes(usedMemoryBytes)} used, no limit`);
  const said = `${megabytes(usedMemoryBytes)} of ${megabytes(maxmemoryBytes)} used`;
  if (usedMemoryBytes < fullAbove * maxmemoryBytes) return ok('redis memory', said);
  return wrong('redis memory', `${said}; a full Redis takes no writes and no create is granted: raise maxmemory`);
}

function files({ isAppendOnly, writesFiles }: RedisServer): Finding {
  if (!writesFiles)
    return wrong('redis files', 'it cannot write its files; check its disk, then restart it or rewrite them (BGREWRITEAOF, BGSAVE)');
  if (isAppendOnly) return ok('redis files', 'append-only file');
  const cost = 'waiting scores are queued again some seconds after a restart, not immediately';
  return remark('redis files', `no append-only file; nothing is lost without, but ${cost}: set appendonly to yes`);
}
