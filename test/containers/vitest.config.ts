import { defineConfig } from 'vitest/config';

/** main.ts starts the stack and runs these tests. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ['**/*.containers.ts'],
    // These limits only end what hangs.
    testTimeout: 600_000,
    hookTimeout: 600_000,
    // Tests stop services of the one stack.
    fileParallelism: false,
  },
});
