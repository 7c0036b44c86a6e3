import { defineConfig } from 'vitest/config';

/** Tests of a running stack in containers; main.ts starts it and runs them. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.containers.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // Tests stop services of the one stack.
    fileParallelism: false,
  },
});
