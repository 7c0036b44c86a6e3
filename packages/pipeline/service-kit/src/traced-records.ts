import { eventId, screeningId, type Topic } from '@weir/contracts';
import type { LogRecord, OutgoingRecord } from '@weir/event-log';
import {
  endFailed,
  eventSpan,
  inSpan,
  isTracing,
  type RecordSpans,
  recordSpans,
  rootSpan,
  startSpan,
  traceIdOf,
  withRecordSpans,
  writerOf,
} from '@weir/tracing';

type SpanContext = NonNullable<ReturnType<typeof writerOf>>;

/** Handles a batch in a span that links to the span of each record. That one is in the trace of its transfer. */
export async function traceRecords(service: string, records: readonly LogRecord[], handle: () => Promise<void>): Promise<void> {
  if (!isTracing()) return handle();
  const spans = records.map((record) => startRecord(service, record));
  const contexts = spans.flatMap((span) => span?.spanContext() ?? []);
  try {
    await withRecordSpans(byTrace(contexts), () => traceBatch(service, contexts, records.length, handle));
  } catch (error) {
    for (const span of spans) if (span !== undefined) endFailed(span, error);
    throw error;
  } finally {
    for (const span of spans) span?.end();
  }
}

/** A transaction of many transfers has a trace of its own. */
export function traceBatch<T>(service: string, links: readonly SpanContext[], count: number, work: () => Promise<T>): Promise<T> {
  const attributes = { 'messaging.batch.message_count': count };
  return inSpan({ service, name: 'batch', parent: 'none', links, attributes }, work);
}

/** Events that a stage gets within the transaction that says them: a span each, for the time of its step. */
export async function traceCarried<T>(service: string, records: readonly OutgoingRecord[], step: () => Promise<T>): Promise<T> {
  if (!isTracing()) return step();
  const spans = records.map((record) => startRecord(service, record));
  const before = recordSpans() ?? new Map<string, SpanContext>();
  const own = byTrace(spans.flatMap((span) => span?.spanContext() ?? []));
  try {
    return await withRecordSpans(new Map([...before, ...own]), () => inSpan({ service, name: `carry to ${service}` }, step));
  } finally {
    for (const span of spans) span?.end();
  }
}

/** A span of each event that was written. It has the ids in the record's headers, so readers continue it. */
export function traceWritten(service: string, events: readonly WrittenEvent[], startedAt?: number): void {
  if (!isTracing()) return;
  for (const { id, record, parent } of events) {
    const written = writerOf(record.headers);
    if (written === undefined) continue;
    const { traceId, spanId } = written;
    // The follower of a chain has no caller: its event is the first span.
    const of = parent ?? (service === 'chain-follower' ? undefined : parentOf(id, record));
    const attributes = attributesOf(record, id);
    startSpan({
      service,
      name: `send ${record.topic}`,
      kind: 'producer',
      ids: { traceId, spanId },
      parent: of ?? 'none',
      attributes,
      ...(startedAt !== undefined && { startedAt }),
    })?.end();
  }
}

export interface WrittenEvent {
  readonly id: string;
  readonly record: OutgoingRecord;
  /** The span that led to it, where it is known. */
  readonly parent?: SpanContext | undefined;
}

/** Where nothing tells the cause: the request that brought the transfer, for later events the first request for a screening. */
function parentOf(id: string, record: OutgoingRecord): SpanContext | undefined {
  const screening = screeningOf(record);
  if (screening === undefined) return undefined;
  const first = eventId('screenings.requested', screening, 1);
  return id === first || kinds[record.topic as Topic] !== undefined ? rootSpan(screening) : eventSpan(screening, first);
}

const kinds: Partial<Record<Topic, 'deposit' | 'withdrawal'>> = { 'deposits.detected': 'deposit', 'withdrawals.requested': 'withdrawal' };

function screeningOf({ topic, key, headers }: OutgoingRecord): string | undefined {
  const kind = kinds[topic as Topic];
  if (kind !== undefined) return screeningId(kind, key);
  const parts = /^(.{8})(.{4})(.{4})(.{4})(.{12})$/.exec(writerOf(headers)?.traceId ?? '');
  return parts?.slice(1).join('-');
}

/** A transfer that the exchange wrote to its topic begins a trace, which links to that of the exchange. */
function startRecord(service: string, record: OutgoingRecord): ReturnType<typeof startSpan> {
  const writer = writerOf(record.headers);
  const screening = screeningOf(record);
  const attributes = attributesOf(record, record.headers['ce_id']);
  const of = { service, name: `process ${record.topic}`, kind: 'consumer' as const, attributes };
  if (screening === undefined || writer?.traceId === traceIdOf(screening)) return startSpan({ ...of, parent: writer ?? 'none' });
  const links = writer === undefined ? [] : [writer];
  // Other services read the record too. Only the one that takes the transfer in begins the trace.
  const root = rootSpan(screening);
  if (service === 'deposit-ingest' || service === 'withdrawal-gate') return startSpan({ ...of, parent: 'none', ids: root, links });
  return startSpan({ ...of, parent: root, links });
}

function attributesOf({ topic }: OutgoingRecord, id: string | undefined): Record<string, string> {
  return { 'messaging.destination.name': topic, ...(id !== undefined && { 'messaging.message.id': id }) };
}

function byTrace(contexts: readonly SpanContext[]): RecordSpans {
  return new Map(contexts.map((of) => [of.traceId, of]));
}
