import { systemClock } from '@weir/clock';
import { connectRedis } from '@weir/rate-budget';
import { lineOf } from '../failure.ts';
import type { AllSettings } from '../settings.ts';
import { type Finding, ok, wrong } from './finding.ts';

/** Whether Redis is there and suits; nothing where none is set. */
export async function examineRedis({ redisUrl }: AllSettings): Promise<Finding[]> {
  if (redisUrl === '') return [];
  try {
    const redis = await connectRedis({ url: redisUrl, clock: systemClock });
    redis.disconnect();
    return [ok('redis', 'holds the rate budget')];
  } catch (error) {
    return [wrong('redis', lineOf(error))];
  }
}
