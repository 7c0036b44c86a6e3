import { defineConfig } from 'vitest/config';

/** Pure packages: no server, no waiting. `npm run check` runs these. */
const quick = ['packages/{chains,clock,contracts,policy,risk-engine,sample}/src/**/*.test.ts', 'test/structure/**/*.test.ts'];

/** What measures time, or fills the machine by itself: one after the other, when the rest is done. */
const alone = [
  'services/scoring/src/burst.test.ts',
  'packages/rate-budget/src/real-time.test.ts',
  'test/chaos/**/*.test.ts',
  'test/e2e/**/*.test.ts',
];

export default defineConfig({
  test: {
    projects: [
      { test: { name: 'quick', include: quick, sequence: { groupOrder: 0 }, maxWorkers: 2 } },
      {
        test: {
          name: 'real',
          include: ['packages/*/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...quick, ...alone, '**/node_modules/**'],
          globalSetup: ['./test/stack/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          // Two cores, and what is tested starts processes of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'alone',
          include: alone,
          globalSetup: ['./test/stack/global-setup.ts'],
          testTimeout: 30_000,
          hookTimeout: 60_000,
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
