import { redisTier } from '../testing/queue-tier.ts';
import { describeWork } from '../testing/work.behaviour.ts';

describeWork(redisTier);
