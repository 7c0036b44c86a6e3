import { systemClock } from '@weir/clock';
import { consumeAloud } from '../consume.testing.ts';
import { openKafkaLog } from './log.ts';

/** A consumer process for tests to kill. Environment: BROKERS, GROUP, TOPIC. */
const { BROKERS: brokers = '', GROUP: group = '', TOPIC: topic = '' } = process.env;
const log = openKafkaLog({ connection: { brokers: brokers.split(',') }, clock: systemClock });
await consumeAloud(log, group, topic);
