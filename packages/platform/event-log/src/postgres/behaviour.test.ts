import { describeEventLog } from '../behaviour.ts';
import { postgresHarness } from './testing.ts';

describeEventLog('the log on PostgreSQL', postgresHarness);
