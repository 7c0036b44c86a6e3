import { expectSignIn } from './sign-in-flows.ts';
import { embedded } from './tiers.ts';

expectSignIn(embedded);
