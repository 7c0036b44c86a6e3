import { prepareKafka } from '../e2e/kafka-tier.ts';
import { expectConsole } from './console-flows.ts';

expectConsole({ prepare: prepareKafka });
