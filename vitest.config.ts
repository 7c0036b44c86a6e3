import { defineConfig } from 'vitest/config';

/** Pure packages: no server, no waiting. `npm run check` runs these. */
const quick = [
  'packages/{domain,data}/{chains,contracts,policy,risk-engine,risk-report,chain-import,sample}/src/**/*.test.ts',
  'packages/platform/{clock,optional-packages}/src/**/*.test.ts',
  'test/{structure,truth}/**/*.test.ts',
  'test/chaos/plan.test.ts',
];

/** What fills the machine by itself, or stands on real time: one after the other, when the rest is done. */
const alone = [
  'services/scoring/src/burst.test.ts',
  'services/decision/src/replay.test.ts',
  'packages/platform/rate-budget/src/real-time.test.ts',
  'test/chaos/**/*.test.ts',
];

/** What needs a real broker: it is started once, and the tests take turns on it. */
const kafka = ['{packages,services}/**/src/**/*.kafka.test.ts', 'test/**/*.kafka.test.ts'];

/** What needs a Redis: one for all, and of their own for those that kill it. */
const redis = ['{packages,services}/**/src/**/*.redis.test.ts', 'test/**/*.redis.test.ts'];

/** These limits only end what hangs. They are far from what a test takes, because other load on the machine must not fail a test. */
const limits = { testTimeout: 240_000, hookTimeout: 240_000, setupFiles: ['./test/support/stack/patience.ts'] };

export default defineConfig({
  test: {
    projects: [
      // Pure, so one worker may run many files, which halves their processor time.
      {
        test: {
          name: 'quick',
          include: quick,
          globalSetup: ['./test/support/stack/temporary.ts'],
          ...limits,
          isolate: false,
          sequence: { groupOrder: 0 },
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'real',
          include: ['packages/**/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...quick, ...alone, ...kafka, ...redis, '**/node_modules/**'],
          globalSetup: ['./test/support/stack/global-setup.ts'],
          ...limits,
          // Two cores, and what is tested starts processes of its own.
          maxWorkers: 2,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'kafka',
          include: kafka,
          globalSetup: ['./test/support/stack/global-setup.ts', './test/support/stack/log-tier.ts'],
          ...limits,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'redis',
          include: redis,
          globalSetup: ['./test/support/stack/global-setup.ts', './test/support/stack/redis-tier.ts'],
          ...limits,
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          name: 'alone',
          include: alone,
          exclude: [...quick, ...kafka, ...redis, '**/node_modules/**'],
          globalSetup: ['./test/support/stack/global-setup.ts'],
          ...limits,
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
    ],
  },
});
