import { embedded, expectFlows } from './tiers.ts';
import { expectUpkeep } from './upkeep-flows.ts';

expectFlows(embedded, {}, expectUpkeep);
