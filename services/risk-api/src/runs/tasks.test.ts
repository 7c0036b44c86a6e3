import { postgresTier } from '../testing/queue-tier.ts';
import { describeTasks } from '../testing/tasks.behaviour.ts';

describeTasks(postgresTier);
