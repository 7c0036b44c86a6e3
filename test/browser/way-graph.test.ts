import { embedded, expectFlows } from './tiers.ts';
import { expectWayGraph } from './way-graph-flows.ts';

expectFlows(embedded, {}, expectWayGraph);
