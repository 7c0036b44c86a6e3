import { describeEventLog } from '../behaviour.ts';
import { kafkaHarness } from './testing.ts';

describeEventLog('the log on Kafka', kafkaHarness);
