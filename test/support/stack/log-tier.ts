import { startStack } from './stack.ts';

export default async function setup(): Promise<() => Promise<void>> {
  const stack = await startStack(['kafka', 'registry']);
  return () => stack.stop();
}
