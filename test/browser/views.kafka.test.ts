import { expectCases } from './cases-flows.ts';
import { expectFlows, onKafka } from './tiers.ts';
import { expectUpkeep } from './upkeep-flows.ts';
import { expectViews, webhook } from './views-flows.ts';
import { expectWayGraph } from './way-graph-flows.ts';

// A list of labels is kept for a minute: who reads none yet does not wait for it.
expectFlows(onKafka, webhook, expectUpkeep, expectViews, expectCases, expectWayGraph);
