import { createParser } from 'eventsource-parser';
import { WeirError } from './errors.ts';
import type { components, operations } from './generated/api.ts';
import { type HttpOptions, networkError, open, withLimit } from './http.ts';
import { pauseOf, type RetryPolicy } from './retry.ts';

/** The payload of an event and of a webhook. */
export interface DecisionEvent {
  readonly type: 'screening.decided';
  /** Of the decision; RFC 3339. */
  readonly timestamp: string;
  readonly data: components['schemas']['Decision'] & {
    readonly screening_id: string;
    readonly kind: 'deposit' | 'withdrawal';
    /** Your own `deposit_id` or `withdrawal_id`. */
    readonly source_id: string;
  };
}

/** An act of a person, without its texts: `review.resolved`, `review.noted`, `case.assigned`, `policy.proposed`, `label.requested` … */
export interface ActEvent {
  readonly type: `review.${string}` | `case.${string}` | `policy.${string}` | `label.${string}`;
  /** RFC 3339. */
  readonly timestamp: string;
  /** `activity_id`, or `resolution_id` of a resolution, tells repeats apart. */
  readonly data: {
    readonly activity_id?: string;
    readonly resolution_id?: string;
    readonly screening_id?: string;
    readonly case_id?: string;
    readonly policy_hash?: string;
    readonly request_id?: string;
    readonly person?: { readonly id: string; readonly name: string };
    readonly [detail: string]: unknown;
  };
}

/** The answer of `/readyz` of the console, at the begin and when it changes. */
export interface HealthEvent {
  readonly type: 'health.changed';
  /** RFC 3339. */
  readonly timestamp: string;
  readonly data: {
    readonly status: 'ready' | 'not ready';
    readonly unavailable: readonly string[];
    readonly degraded?: readonly string[];
    readonly warnings?: readonly string[];
  };
}

export type WeirEvent = DecisionEvent | ActEvent | HealthEvent;

export type StreamEvent<Event extends WeirEvent = WeirEvent> = Event & {
  /** Keep it to go on behind this event. */
  readonly id: string;
};

type Filter = NonNullable<operations['stream_events']['parameters']['query']>;

export interface StreamOptions extends Filter {
  /** The id of the last event that was handled. Left out: from now on. */
  readonly lastEventId?: string;
  /** Without a byte for this long the connection is opened anew; a heartbeat comes every 15 seconds. Default 45,000. */
  readonly idleMs?: number;
  /** Failed connections in a row after which the stream rejects. Default 30: five minutes or less. */
  readonly maxFailures?: number;
  readonly signal?: AbortSignal;
}

interface Shared {
  readonly http: HttpOptions;
  readonly policy: RetryPolicy;
  readonly random: () => number;
  readonly timeoutMs: number;
}

/** Characters of one event. */
const maxEventLength = 1_000_000;

/** Rejects with a `WeirError` that is not retriable, or when too many connections failed in a row. An event may come again. */
export async function* streamEvents(shared: Shared, options: StreamOptions): AsyncGenerator<StreamEvent> {
  const { signal, maxFailures = 30 } = options;
  const position = { id: options.lastEventId };
  for (let failures = 0; signal?.aborted !== true; ) {
    try {
      for await (const event of connection(shared, options, position)) {
        failures = 0;
        if (event !== undefined) yield event;
      }
    } catch (error) {
      if (signal?.aborted) return;
      failures += 1;
      if (!(error instanceof WeirError) || !error.retriable || failures >= maxFailures) throw error;
    }
    await shared.http.clock.sleep(pauseOf(Math.max(failures, 1), shared.policy, shared.random), signal);
  }
}

/** Events of one connection, and undefined for other bytes. Moves `position`, also where no event matched. */
async function* connection(
  { http, timeoutMs }: Shared,
  { type, kind, action, level, idleMs = 45_000, signal }: StreamOptions,
  position: { id: string | undefined },
): AsyncGenerator<StreamEvent | undefined> {
  const cut = new AbortController();
  const headers = { accept: 'text/event-stream', ...(position.id === undefined ? {} : { 'last-event-id': position.id }) };
  const request = { method: 'GET', path: '/v1/events', query: { type, kind, action, level }, headers };
  try {
    const response = await withLimit(http.clock, timeoutMs, signal, () => open(http, request, cut.signal));
    if (!/^text\/event-stream\b/i.test(response.headers.get('content-type') ?? '') || response.body === null) {
      throw new WeirError('UNREADABLE', 'the answer is no event stream', { status: response.status });
    }
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    const decode = createDecoder();
    for (;;) {
      const { value, done } = await withLimit(http.clock, idleMs, signal, () => reader.read().catch(rethrow));
      if (done) return;
      yield undefined;
      for (const { id, event, data } of decode(value)) {
        if (event !== undefined && isKnown(event)) yield { id: id ?? '', ...parseStreamed(event, data ?? '') };
        // Only now: an event that was not taken is read again.
        position.id = id ?? position.id;
      }
    }
  } finally {
    cut.abort('over');
  }
}

/** Blocks of the stream in their order. One without data only has the place that the stream has reached. */
interface Block {
  readonly id?: string | undefined;
  readonly event?: string | undefined;
  readonly data?: string;
}

function createDecoder(): (text: string) => readonly Block[] {
  const blocks: Block[] = [];
  let isTooLarge = false;
  const parser = createParser({
    maxBufferSize: maxEventLength,
    // Called before the event of the same block.
    onId: (id) => void blocks.push({ id }),
    onEvent: (event) => {
      if (event.id !== undefined) blocks.pop();
      blocks.push(event);
    },
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded';
    },
  });
  return (text) => {
    parser.feed(text);
    if (isTooLarge) throw new WeirError('UNREADABLE', `an event has more than ${maxEventLength} characters`);
    return blocks.splice(0);
  };
}

function rethrow(error: unknown): never {
  throw networkError(error);
}

function isKnown(type: string): boolean {
  return type === 'screening.decided' || type === 'health.changed' || /^(review|case|policy|label)\./.test(type);
}

function parseStreamed(type: string, text: string): WeirEvent {
  if (type === 'screening.decided') return parseEvent(text);
  const event = parseJson(text) as Partial<WeirEvent> | null;
  if (event?.type !== type || typeof event.data !== 'object') throw new WeirError('UNREADABLE', `it is no event ${type}`);
  return event as WeirEvent;
}

/** Null where it is none. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Throws `WeirError` with the code `UNREADABLE`. */
export function parseEvent(text: string): DecisionEvent {
  const event = parseJson(text) as Partial<DecisionEvent> | null;
  const { screening_id, revision, action } = event?.data ?? {};
  if (
    event?.type !== 'screening.decided' ||
    typeof screening_id !== 'string' ||
    !Number.isSafeInteger(revision) ||
    typeof action !== 'string'
  ) {
    throw new WeirError('UNREADABLE', 'it is not a decision');
  }
  return event as DecisionEvent;
}
