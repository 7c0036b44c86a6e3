import { expectTraces } from './tracing.ts';

expectTraces({ prepare: async () => ({ env: {}, close: async () => undefined }) });
