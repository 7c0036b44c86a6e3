import type { Clock } from '@weir/clock';
import { type Callers, admission, type Operation, operation, type Pipeline, problem, readers } from '@weir/service-kit';
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { decodePlace, encodePlace, type Place, type Positions } from './positions.ts';
import { type EventBody, type Family, families, healthBody, isReadFor, streamTopics } from './stream-event.ts';
import { TopicTail } from './tail.ts';

/** A new event is sent within this time. */
const pollMs = 500;
/** Below the idle limits of common proxies. */
const heartbeatMs = 15_000;
/** Whether the client may still read is asked again this often: a session ends and a token is revoked at once everywhere else. */
const checkEveryMs = 5_000;
/** Then the client connects again, to whichever replica has room. */
const lifetimeMs = 900_000;
/** All clients of a process see the same health for this time. */
const healthFreshMs = 5_000;
/** Of one process. A slow one is read for at its own speed. */
const maxClients = 64;

const isFamily = (text: string): text is Family => families.some((family) => family === text);
const filters = z.object({
  type: z
    .string()
    .transform((text, context): readonly Family[] => {
      const named = text.split(',');
      if (named.every(isFamily)) return named;
      context.addIssue(`must be of ${families.join(', ')}, with commas between`);
      return z.NEVER;
    })
    .default(['screening'])
    .meta({
      description: `Which events: of ${families.join(', ')}, with commas between. Left out: screening.`,
      example: 'screening,review',
    }),
  kind: z.enum(['deposit', 'withdrawal']).optional(),
  action: z.enum(['block', 'review', 'allow']).optional(),
  level: z.enum(['Low', 'Moderate', 'High', 'Severe']).optional().meta({ description: 'That the decision used.' }),
});
type Filter = z.output<typeof filters>;

export interface EventApiOptions {
  readonly pipeline: Pick<Pipeline, 'log' | 'codec' | 'readiness'>;
  readonly access: Callers;
  readonly clock: Clock;
  /** Ends every stream. */
  readonly stopping: AbortSignal;
}

/** `GET /v1/events`. */
export function eventOperations({ pipeline, access, clock, stopping }: EventApiOptions): readonly Operation[] {
  const tail = new TopicTail(pipeline, clock);
  const health = new SharedHealth(pipeline, clock);
  let clients = 0;
  const events = operation({
    name: 'stream_events',
    method: 'GET',
    path: '/v1/events',
    tag: 'events',
    summary: 'Decisions, acts of people and health as server-sent events.',
    description: [
      'By default each event is of type `screening.decided`; its data is the payload of a webhook. `type` also names `review.…`, `case.…`, `policy.…` and `label.…`, which are acts of people, and `health.changed`, the answer of `/readyz` at the begin and when it changes.',
      'Begins with the next event, or behind that of `Last-Event-ID`. An event without the field of a filter does not match it.',
      'An event may come again: decisions have `screening_id` and `revision`, acts an `activity_id` or a `resolution_id`. The stream ends after 15 minutes, and clients reconnect; it ends within seconds when the token or the session has ended. What the log no longer has is in `GET /v1/screenings`.',
    ].join(' '),
    admission: admission(access, readers),
    query: filters,
    headers: z.object({
      'Last-Event-ID': z.string().optional().meta({ description: 'The id of the last event that the client has seen.' }),
    }),
    answers: [
      {
        status: 200,
        description:
          'Events until the client leaves. A comment every 15 seconds keeps the connection; it has the id that the stream has reached.',
        type: 'text/event-stream',
        schema: z.string(),
        example: 'event: screening.decided\nid: 7.0.3\ndata: {"type":"screening.decided"}\n\n',
      },
    ],
    problems: {
      INVALID_LAST_EVENT_ID: [400, 'It is no id of an event of this stream, or is beyond the end of the log.'],
      TOO_MANY_CLIENTS: [503, `This process has ${maxClients} streams.`],
    },
    respond: async (c, { query }) => {
      const place = await beginOf(c, tail, query.type);
      if (place === undefined) {
        return problem(c, 400, 'INVALID_LAST_EVENT_ID', 'Last-Event-ID must be the id of an event of this stream');
      }
      if (clients >= maxClients) return problem(c, 503, 'TOO_MANY_CLIENTS', `there are ${maxClients} streams already: try again later`);
      c.header('cache-control', 'no-store');
      c.header('x-accel-buffering', 'no');
      if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
      clients += 1;
      return streamSSE(c, async (stream) => {
        try {
          await send(stream, tail, { place, filter: query, health, clock, stopping, mayRead: () => isReader(c, access) });
        } finally {
          clients -= 1;
        }
      });
    },
  });
  return [events];
}

/** A topic that the id does not name begins now. */
async function beginOf(c: Context, tail: TopicTail, wanted: readonly Family[]): Promise<Place | undefined> {
  const endsOf = (maxAgeMs?: number) => Promise.all(streamTopics.map((topic) => tail.ends(topic, maxAgeMs)));
  const ends = await endsOf();
  const seen = c.req.header('last-event-id') ?? '';
  const given =
    seen === ''
      ? []
      : decodePlace(
          seen,
          ends.map((each) => each.length),
        );
  if (given === undefined) return undefined;
  const place = streamTopics.map((topic, n) => (isReadFor(topic, wanted) ? (given[n] ?? [...(ends[n] ?? [])]) : undefined));
  if (!place.some((positions, n) => isBeyond(positions ?? [], ends[n] ?? []))) return place;
  // Another replica may have sent an event that this one has yet to notice. From beyond the log, the stream would leave events out.
  const latest = await endsOf(0);
  return place.some((positions, n) => isBeyond(positions ?? [], latest[n] ?? [])) ? undefined : place;
}

function isBeyond(positions: Positions, ends: Positions): boolean {
  return positions.some((position, partition) => position > (ends[partition] ?? 0n));
}

/** Read once for all clients of a process. */
class SharedHealth {
  readonly #pipeline: Pick<Pipeline, 'readiness'>;
  readonly #clock: Clock;
  #latest: { readonly at: number; readonly data: Promise<object | undefined> } | undefined;

  constructor(pipeline: Pick<Pipeline, 'readiness'>, clock: Clock) {
    this.#pipeline = pipeline;
    this.#clock = clock;
  }

  read(): Promise<object | undefined> {
    const now = this.#clock.monotonic();
    if (this.#latest === undefined || now - this.#latest.at >= healthFreshMs)
      this.#latest = { at: now, data: this.#pipeline.readiness.read() };
    return this.#latest.data;
  }
}

async function isReader(c: Context, access: Callers): Promise<boolean> {
  const caller = await access.callerOf(c);
  return !(caller instanceof Response) && readers.includes(caller.role);
}

interface Sending {
  readonly place: Place;
  readonly filter: Filter;
  readonly health: SharedHealth;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
  readonly mayRead: () => Promise<boolean>;
}

/** A write resolves when the client takes it, so nothing piles up. An error ends the stream, and the client reconnects. */
async function send(stream: SSEStreamingApi, tail: TopicTail, { place, filter, health, clock, stopping, mayRead }: Sending): Promise<void> {
  const left = new AbortController();
  stream.onAbort(() => left.abort());
  const over = AbortSignal.any([left.signal, stopping]);
  const end = clock.monotonic() + lifetimeMs;
  let written = clock.monotonic();
  let checked = clock.monotonic();
  let lastHealth = '';
  const write = async ({ type, text }: EventBody): Promise<void> => {
    await stream.writeSSE({ id: encodePlace(place), event: type, data: text });
    written = clock.monotonic();
  };
  // With the place, so that a client that is cut off before its first event loses none.
  const remark = (text: string): Promise<unknown> => stream.write(`: ${text}\nid: ${encodePlace(place)}\n\n`);
  await remark('connected');
  while (!over.aborted && clock.monotonic() < end) {
    if (clock.monotonic() - checked >= checkEveryMs) {
      if (!(await mayRead())) return;
      checked = clock.monotonic();
    }
    if (filter.type.includes('health') && isUnfiltered(filter)) {
      const data = await health.read();
      const text = JSON.stringify(data);
      if (data !== undefined && text !== lastHealth) await write(healthBody(clock.now(), data));
      lastHealth = text ?? '';
    }
    for await (const event of tail.read(place)) {
      if (over.aborted) return;
      if (matches(event, filter)) await write(event);
    }
    if (clock.monotonic() - written >= heartbeatMs) {
      await remark('heartbeat');
      written = clock.monotonic();
    }
    await clock.sleep(pollMs, over);
  }
}

function isUnfiltered({ kind, action, level }: Filter): boolean {
  return kind === undefined && action === undefined && level === undefined;
}

function matches(event: EventBody, { type, kind, action, level }: Filter): boolean {
  return (
    type.includes(event.family) &&
    (kind === undefined || event.kind === kind) &&
    (action === undefined || event.action === action) &&
    (level === undefined || event.level === level)
  );
}
