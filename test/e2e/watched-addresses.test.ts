import { expectWatchedAddresses } from './watched-addresses.ts';

expectWatchedAddresses({ prepare: async () => ({ env: {}, close: async () => undefined }) });
