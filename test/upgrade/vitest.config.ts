import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/** `npm run drill:upgrade`. It fills the machine for some eight minutes, and on one that is full besides, callers are refused; so it is no part of `npm test`. */
export default defineConfig({
  root: join(import.meta.dirname, '..', '..'),
  test: {
    include: ['test/upgrade/*.upgrade.ts'],
    globalSetup: ['./test/support/stack/global-setup.ts', './test/support/stack/log-tier.ts'],
    setupFiles: ['./test/support/stack/patience.ts'],
  },
});
