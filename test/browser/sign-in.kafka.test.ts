import { expectSignIn } from './sign-in-flows.ts';
import { onKafka } from './tiers.ts';

expectSignIn(onKafka);
