import { embedded, expectFlows } from './tiers.ts';
import { expectViews, webhook } from './views-flows.ts';

expectFlows(embedded, webhook, expectViews);
