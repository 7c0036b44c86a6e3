export { EventLogError, type EventLogErrorCode } from './errors.ts';
export {
  type EventLog,
  type Gathering,
  type HandleContext,
  type LogGap,
  type LogRecord,
  type OutgoingRecord,
  type PartitionLag,
  PoisonRecord,
  type RecordPlace,
  type SubscribeOptions,
  type Subscription,
  type TopicPartition,
  type TopicSpec,
} from './port.ts';
export { openPostgresLog, type PostgresLogOptions } from './postgres/log.ts';
export { eventLogMigrations } from './migrations.ts';
export { trimLog } from './postgres/trim.ts';
