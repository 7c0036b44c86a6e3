import { expectSignIn } from './sign-in-flows.ts';

expectSignIn({ prepare: () => Promise.resolve({ env: {}, close: () => Promise.resolve() }) });
