import { provideRedis } from './native.ts';
import { startStack } from './stack.ts';

/** One Redis for a whole test run, and `redis-server` for tests that kill their own. */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack(['redis']);
  if (stack.ways.redis === 'container') await provideRedis();
  return () => stack.stop();
}
