import { expectCases, expectLongLists } from './cases-flows.ts';
import { embedded, expectFlows } from './tiers.ts';

expectFlows(embedded, {}, expectCases, expectLongLists);
