import { defineConfig } from 'vitest/config';

/** Tests of a stack that runs in containers; main.ts brings it up and runs them. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['*.containers.ts'],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // They stop services of the one stack there is.
    fileParallelism: false,
  },
});
