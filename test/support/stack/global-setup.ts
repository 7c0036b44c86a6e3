import { startStack } from './stack.ts';

/** One real PostgreSQL for the whole run; each test file makes its own database on it. */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack(['postgres']);
  return () => stack.stop();
}
