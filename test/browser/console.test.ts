import { expectConsole } from './console-flows.ts';

expectConsole({ prepare: async () => ({ env: {}, close: async () => undefined }) });
