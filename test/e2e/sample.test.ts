import { expectFirstStart } from './first-start.ts';

expectFirstStart({
  prepare: async () => ({ env: {}, close: async () => undefined }),
});
