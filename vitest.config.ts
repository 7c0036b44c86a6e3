import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** Pure packages: no server, no waiting. `npm run check:quick` runs these alone. */
const quick = [
  'packages/{domain,data}/{audit-log,chains,contracts,policy,risk-engine,risk-report,chain-import,sample}/src/**/*.test.ts',
  'packages/platform/{clock,optional-packages}/src/**/*.test.ts',
  'test/{structure,truth}/**/*.test.ts',
  'test/chaos/{plan,topic-reader}.test.ts',
  'test/soak/*.test.ts',
];

/** What fills the machine by itself, or stands on real time: one after the other, when the rest is done. */
const alone = [
  'services/scoring/src/burst.test.ts',
  'packages/platform/rate-budget/src/real-time.test.ts',
  'test/chaos/**/*.test.ts',
  'test/drill/*.test.ts',
];

/** What needs a real broker: one is started for all, and of their own for those that kill it. */
const kafka = ['{packages,services}/**/src/**/*.kafka.test.ts', 'test/**/*.kafka.test.ts'];

/** What needs a Redis: one for all, and of their own for those that kill it. */
const redis = ['{packages,services}/**/src/**/*.redis.test.ts', 'test/**/*.redis.test.ts'];

/** These limits only end what hangs. They are far from what a test takes, because other load on the machine must not fail a test. */
const limits = { testTimeout: 480_000, hookTimeout: 480_000, setupFiles: ['./test/support/stack/patience.ts'] };

/** For two processors: tests wait for deadlines, leases and servers, and three leave a seventh of the processors idle. */
const maxWorkers = 4;

/**
 * vitest runs one project after the other, and the largest files of each first. Tests with brokers wait most, so their files are spread among
 * those that compute. Pure ones come first, in one block: a worker goes on with the next file only if that is pure too.
 */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const byProject = Map.groupBy(sorted, ({ project }) => project.name);
    const placeOf = (file: TestSpecification): number => {
      if (file.project.name === 'quick') return -1;
      const own = byProject.get(file.project.name) ?? [];
      // None is begun at the very end, where the others would wait for it. Flows of a browser and of whole installations are long, and short files.
      const isLong = ['kafka', 'redis'].includes(file.project.name) || /\/test\/(browser|bench|e2e|restore)\//.test(file.moduleId);
      const spread = isLong ? 0.7 : 1;
      return (spread * own.indexOf(file)) / own.length;
    };
    return sorted.toSorted((a, b) => placeOf(a) - placeOf(b));
  }
}

export default defineConfig({
  test: {
    sequence: { sequencer: Mixed },
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
          maxWorkers,
        },
      },
      {
        test: {
          name: 'real',
          include: ['packages/**/src/**/*.test.ts', 'services/*/src/**/*.test.ts', 'deploy/image/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...quick, ...alone, ...kafka, ...redis, '**/node_modules/**'],
          globalSetup: ['./test/support/stack/global-setup.ts'],
          ...limits,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'kafka',
          include: kafka,
          globalSetup: ['./test/support/stack/global-setup.ts', './test/support/stack/log-tier.ts'],
          ...limits,
          maxWorkers,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          name: 'redis',
          include: redis,
          globalSetup: ['./test/support/stack/global-setup.ts', './test/support/stack/redis-tier.ts'],
          ...limits,
          maxWorkers,
          sequence: { groupOrder: 0 },
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
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
