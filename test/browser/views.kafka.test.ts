import { expectCases } from './cases-flows.ts';
import { expectFlows, onKafka } from './tiers.ts';
import { expectUpkeep } from './upkeep-flows.ts';
import { expectViews, webhook } from './views-flows.ts';
import { expectWayGraph } from './way-graph-flows.ts';

expectFlows(onKafka, webhook, expectViews, expectUpkeep, expectCases, expectWayGraph);
