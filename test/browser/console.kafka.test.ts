import { expectConsole } from './console-flows.ts';
import { onKafka } from './tiers.ts';

expectConsole(onKafka);
