import { startStack } from './stack.ts';

/** One broker and one registry for a whole test run. */
export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack(['kafka', 'registry']);
  return () => stack.stop();
}
