/**
 * Errors of the log.
 *
 * | Code | Retriable | Remedy |
 * |---|---|---|
 * | `UNKNOWN_TOPIC` | no | create the topic first; nothing was written |
 * | `UNKNOWN_PARTITION` | no | ask for a partition below `partitions(topic)` |
 * | `INVALID_TOPIC` | no | a name is 1–249 of `a-zA-Z0-9._-`; at least one partition |
 * | `INVALID_RECORD` | no | see the message: the key or a header cannot be stored, or the record is too large |
 * | `TOPIC_DENIED` | no | the broker's ACLs do not let this user do that with the topic; `weir topics acls` sets them |
 * | `LOG_UNAVAILABLE` | yes | try again; records published may or may not have been written |
 * | `LOG_OVERLOADED` | yes | more is waiting to be published than the bound allows; nothing was written |
 * | `LOG_CLOSED` | no | the log was closed by its owner |
 * | `LOG_GAP` | no | records that a group had yet to read are gone, and it has stopped reading their partition; `weir topics resume` goes on |
 * | `GROUP_ACTIVE` | no | stop the members of the group first |
 * | `LOG_FAILED` | no | the log's store answered with an error, see `cause` |
 */
export type EventLogErrorCode =
  | 'UNKNOWN_TOPIC'
  | 'UNKNOWN_PARTITION'
  | 'INVALID_TOPIC'
  | 'INVALID_RECORD'
  | 'TOPIC_DENIED'
  | 'LOG_UNAVAILABLE'
  | 'LOG_OVERLOADED'
  | 'LOG_CLOSED'
  | 'LOG_GAP'
  | 'GROUP_ACTIVE'
  | 'LOG_FAILED';

const retriableCodes: ReadonlySet<EventLogErrorCode> = new Set(['LOG_UNAVAILABLE', 'LOG_OVERLOADED']);

export class EventLogError extends Error {
  readonly code: EventLogErrorCode;
  readonly retriable: boolean;

  constructor(code: EventLogErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'EventLogError';
    this.code = code;
    this.retriable = retriableCodes.has(code);
  }
}
