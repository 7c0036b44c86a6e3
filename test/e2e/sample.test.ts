import { expectFirstStart } from './first-start.ts';

expectFirstStart({
  prepare: async () => ({ env: {}, close: async () => undefined }),
  // 600 MB are promised; npm and its shell stand around this when it is started by hand, and take some 60 of them.
  mostRssBytes: 530 * 1_048_576,
  mostIdleShare: 0.05,
});
