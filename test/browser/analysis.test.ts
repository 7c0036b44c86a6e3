import { expectAnalysis } from './analysis-flows.ts';
import { embedded } from './tiers.ts';

expectAnalysis(embedded);
