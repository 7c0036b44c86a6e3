import { prepareKafka } from '../e2e/kafka-tier.ts';
import { expectSignIn } from './sign-in-flows.ts';

expectSignIn({ prepare: prepareKafka });
