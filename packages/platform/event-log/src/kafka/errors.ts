import { type Clock, within } from '@weir/clock';
import { EventLogError } from '../errors.ts';

/** The shape of kafkajs's errors: class name, protocol code, cause. */
interface KafkaError {
  readonly name?: unknown;
  readonly type?: unknown;
  readonly retriable?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
  /** Of a deletion of groups. */
  readonly groups?: unknown;
}

const away: ReadonlySet<unknown> = new Set([
  'KafkaJSConnectionError',
  'KafkaJSConnectionClosedError',
  'KafkaJSRequestTimeoutError',
  'KafkaJSBrokerNotFound',
  'KafkaJSNoBrokerAvailableError',
  'KafkaJSGroupCoordinatorNotFound',
  'KafkaJSLockTimeout',
  'KafkaJSTimeout',
  'KafkaJSMetadataNotLoaded',
  'KafkaJSTopicMetadataNotLoaded',
]);
const unstorable: ReadonlySet<unknown> = new Set(['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD', 'INVALID_TIMESTAMP']);
const refusedTopic: ReadonlySet<unknown> = new Set([
  'INVALID_TOPIC_EXCEPTION',
  'INVALID_PARTITIONS',
  'INVALID_REPLICATION_FACTOR',
  'INVALID_CONFIG',
  'POLICY_VIOLATION',
]);
/** Codes of a rebalance: the request repeats after the member rejoined. */
const groupChanges: ReadonlySet<unknown> = new Set([
  'REBALANCE_IN_PROGRESS',
  'ILLEGAL_GENERATION',
  'UNKNOWN_MEMBER_ID',
  'NOT_COORDINATOR_FOR_GROUP',
]);
/** Codes of a group whose coordinator starts or moves. kafkajs's admin does not repeat the request. */
const coordinatorMoves: ReadonlySet<unknown> = new Set([
  'GROUP_LOAD_IN_PROGRESS',
  'GROUP_COORDINATOR_NOT_AVAILABLE',
  'NOT_COORDINATOR_FOR_GROUP',
]);

/** The error and its causes, outermost first. kafkajs wraps errors that it retried. */
function chainOf(error: unknown): KafkaError[] {
  const chain: KafkaError[] = [];
  for (let at = error as KafkaError | null | undefined; at != null && chain.length < 8 && !chain.includes(at); ) {
    chain.push(at);
    at = (at.cause ?? firstOf(at.errors) ?? (firstOf(at.groups) as { error?: unknown } | undefined)?.error) as KafkaError | undefined;
  }
  return chain;
}

function firstOf(errors: unknown): unknown {
  return Array.isArray(errors) ? errors[0] : undefined;
}

export function hasType(error: unknown, type: string): boolean {
  return chainOf(error).some((each) => each.type === type);
}

export function isGroupChange(error: unknown): boolean {
  return chainOf(error).some((each) => groupChanges.has(each.type));
}

export function isCoordinatorMove(error: unknown): boolean {
  return chainOf(error).some((each) => coordinatorMoves.has(each.type));
}

export function logError(error: unknown): EventLogError {
  if (error instanceof EventLogError) return error;
  const chain = chainOf(error);
  const ours = chain.find((each) => each instanceof EventLogError);
  if (ours instanceof EventLogError) return ours;
  const has = (codes: ReadonlySet<unknown>): boolean => chain.some((each) => codes.has(each.type) || codes.has(each.name));
  const cause = { cause: error };
  if (hasType(error, 'UNKNOWN_TOPIC_OR_PARTITION')) return new EventLogError('UNKNOWN_TOPIC', 'there is no such topic', cause);
  if (hasType(error, 'TOPIC_AUTHORIZATION_FAILED'))
    return new EventLogError('TOPIC_DENIED', 'Kafka refused: TOPIC_AUTHORIZATION_FAILED', cause);
  if (has(unstorable))
    return new EventLogError('INVALID_RECORD', 'Kafka cannot store the record: it is too large, or not as the topic wants it', cause);
  if (has(refusedTopic)) return new EventLogError('INVALID_TOPIC', `Kafka refused the topic: ${typeOf(chain)}`, cause);
  if (has(new Set(['KafkaJSSASLAuthenticationError']))) return new EventLogError('LOG_FAILED', 'Kafka refused the credentials', cause);
  if (has(away) || chain.some(isLostConnection)) return new EventLogError('LOG_UNAVAILABLE', 'Kafka cannot be reached', cause);
  const isPassing = chain.some((each) => each.retriable === true);
  if (isPassing) return new EventLogError('LOG_UNAVAILABLE', `Kafka cannot do this now: ${typeOf(chain)}`, cause);
  return new EventLogError('LOG_FAILED', `Kafka refused: ${typeOf(chain)}`, cause);
}

/** kafkajs reads fields of a connection that went away in the middle of a question. Ours would be a defect, which must not look passing. */
function isLostConnection(error: KafkaError): boolean {
  return error instanceof TypeError && /^ +at .*[\\/]node_modules[\\/]kafkajs[\\/]/m.test(error.stack?.split('\n')[1] ?? '');
}

function typeOf(chain: readonly KafkaError[]): string {
  const said = [...chain.map(({ type }) => type), chain.at(-1)?.name].find((each) => typeof each === 'string');
  return said ?? 'failed';
}

/** Awaits Kafka's answer for at most `ms` milliseconds. Rejects with `EventLogError`; ignores a late answer. */
export async function askKafka<T>(clock: Clock, ms: number, work: Promise<T>): Promise<T> {
  const late = (): never => {
    throw new EventLogError('LOG_UNAVAILABLE', 'Kafka did not answer in time');
  };
  try {
    return await within(clock, ms, work, { late });
  } catch (error) {
    throw logError(error);
  }
}
