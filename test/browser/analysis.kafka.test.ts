import { expectAnalysis } from './analysis-flows.ts';
import { onKafka } from './tiers.ts';

expectAnalysis(onKafka);
