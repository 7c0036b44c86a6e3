import type { Clock } from '@weir/clock';
import { type Callers, admission, type Operation, operation, type Pipeline, problem, readers } from '@weir/service-kit';
import type { Context } from 'hono';
import { type SSEStreamingApi, streamSSE } from 'hono/streaming';
import { z } from 'zod';
import { definedOnly } from '../parameters.ts';
import { decodePositions, encodePositions, type Positions } from './positions.ts';
import { DecisionTail, type StreamEvent } from './tail.ts';

/** A new decision is sent within this time. */
const pollMs = 500;
/** Below the idle limits of common proxies. */
const heartbeatMs = 15_000;
/** Then the client connects again, with a token that is checked again. */
const lifetimeMs = 900_000;
/** Of one process. A slow one is read for at its own speed. */
const maxClients = 64;

const filters = z.object({
  kind: z.enum(['deposit', 'withdrawal']).optional(),
  action: z.enum(['block', 'review', 'allow']).optional(),
  level: z.enum(['Low', 'Moderate', 'High', 'Severe']).optional().meta({ description: 'That the decision used.' }),
});
type Filter = { readonly [Name in keyof z.output<typeof filters>]: NonNullable<z.output<typeof filters>[Name]> };

export interface EventApiOptions {
  readonly pipeline: Pick<Pipeline, 'log' | 'codec'>;
  readonly access: Callers;
  readonly clock: Clock;
  /** Ends every stream. */
  readonly stopping: AbortSignal;
}

/** `GET /v1/events`. */
export function eventOperations({ pipeline, access, clock, stopping }: EventApiOptions): readonly Operation[] {
  const tail = new DecisionTail(pipeline, clock);
  let clients = 0;
  const events = operation({
    name: 'stream_events',
    method: 'GET',
    path: '/v1/events',
    tag: 'events',
    summary: 'Decisions as server-sent events.',
    description: [
      'Each event is of type `screening.decided`; its data is the payload of a webhook. Begins with the next decision, or behind that of `Last-Event-ID`.',
      'A decision may come again, with its `screening_id` and `revision`. The stream ends after 15 minutes, and clients reconnect. Decisions that the log no longer has are in `GET /v1/screenings`.',
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
      const positions = await beginOf(c, tail);
      if (positions === undefined) {
        return problem(c, 400, 'INVALID_LAST_EVENT_ID', 'Last-Event-ID must be the id of an event of this stream');
      }
      if (clients >= maxClients) return problem(c, 503, 'TOO_MANY_CLIENTS', `there are ${maxClients} streams already: try again later`);
      c.header('cache-control', 'no-store');
      c.header('x-accel-buffering', 'no');
      if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'text/event-stream' });
      clients += 1;
      return streamSSE(c, async (stream) => {
        try {
          await send(stream, tail, { positions, filter: definedOnly(query), clock, stopping });
        } finally {
          clients -= 1;
        }
      });
    },
  });
  return [events];
}

async function beginOf(c: Context, tail: DecisionTail): Promise<bigint[] | undefined> {
  const ends = await tail.ends();
  const seen = c.req.header('last-event-id');
  if (seen === undefined || seen === '') return [...ends];
  const positions = decodePositions(seen, ends.length);
  if (positions === undefined || !isBeyond(positions, ends)) return positions;
  // Another replica may have sent a decision that this one has yet to notice. From beyond the log, the stream would leave decisions out.
  return isBeyond(positions, await tail.ends(0)) ? undefined : positions;
}

function isBeyond(positions: Positions, ends: Positions): boolean {
  return positions.some((position, partition) => position > (ends[partition] ?? 0n));
}

interface Sending {
  readonly positions: bigint[];
  readonly filter: Partial<Filter>;
  readonly clock: Clock;
  readonly stopping: AbortSignal;
}

/** A write resolves when the client takes it, so nothing piles up. An error of the log ends the stream, and the client reconnects. */
async function send(stream: SSEStreamingApi, tail: DecisionTail, { positions, filter, clock, stopping }: Sending): Promise<void> {
  const left = new AbortController();
  stream.onAbort(() => left.abort());
  const over = AbortSignal.any([left.signal, stopping]);
  const end = clock.monotonic() + lifetimeMs;
  let written = clock.monotonic();
  // With the place, so that a client that is cut off before its first event loses none.
  const remark = (text: string): Promise<unknown> => stream.write(`: ${text}\nid: ${encodePositions(positions)}\n\n`);
  await remark('connected');
  while (!over.aborted && clock.monotonic() < end) {
    for await (const event of tail.read(positions)) {
      if (over.aborted) return;
      if (!matches(event, filter)) continue;
      await stream.writeSSE({ id: event.id, event: event.type, data: event.data });
      written = clock.monotonic();
    }
    if (clock.monotonic() - written >= heartbeatMs) {
      await remark('heartbeat');
      written = clock.monotonic();
    }
    await clock.sleep(pollMs, over);
  }
}

function matches({ decision }: StreamEvent, { kind, action, level }: Partial<Filter>): boolean {
  return (
    (kind === undefined || decision.kind === kind) &&
    (action === undefined || decision.action === action) &&
    (level === undefined || decision.risk_level === level)
  );
}
