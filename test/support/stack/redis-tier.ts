import { provideRedis } from './native.ts';
import { startStack } from './stack.ts';

/** One Redis for a whole test run, and the program for tests that kill one of their own. */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack(['redis']);
  if (stack.ways.redis === 'container') await provideRedis();
  return () => stack.stop();
}
