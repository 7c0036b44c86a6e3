import type { Clock } from '@weir/clock';
import { topics } from '@weir/contracts';
import { EventLogError, type EventLog, type LogRecord } from '@weir/event-log';
import type { Queryable } from '@weir/postgres';
import {
  admission,
  type Callers,
  deadLetterDetail,
  deadLetterItem,
  deadLetterTopicOf,
  findDeadLetter,
  operation,
  type Operation,
  parsePlace,
  personOf,
  type Pipeline,
  problem,
  replayDeadLetters,
  type Role,
  exportOperation,
  exportPages,
} from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import { maxLimit, pageParameters } from '../parameters.ts';
import { pageOf } from '../view.ts';
import { type Cursor, encodeCursor, listDeadLetters, parseCursor } from './query.ts';
import { deadLetterDetailView, deadLetterView, exampleDeadLetter, exampleDetail, replayedView } from './view.ts';

export interface DeadLetterApiOptions {
  readonly db: Queryable;
  readonly access: Callers;
  readonly log: EventLog;
  readonly codec: Pipeline['codec'];
  readonly clock: Clock;
}

const tag = 'dead-letters';
/** They may hold what no screening shows. */
const readers: readonly Role[] = ['auditor', 'admin'];
const topic = z.enum(topics as unknown as readonly [string, ...string[]]);
const filtered = { topic: topic.optional().meta({ description: 'Left out: every topic.' }) };
const segments = z.object({
  topic: z.string().meta({ description: 'The topic that the record came from.', example: exampleDeadLetter.topic }),
  offset: z
    .string()
    .meta({ description: 'In the dead letter topic; `PARTITION:OFFSET` in a partition other than 0.', example: exampleDeadLetter.offset }),
});
const problems = { NOT_FOUND: [404, 'There is no such dead letter.'] } as const;
const notCursor = { path: ['cursor'], error: 'must be the next_cursor of an earlier answer' };

/** `weir dlq` for the web console. */
export function deadLetterOperations({ db, access, log, codec, clock }: DeadLetterApiOptions): readonly Operation[] {
  const list = operation({
    name: 'list_dead_letters',
    method: 'GET',
    path: '/v1/dead-letters',
    tag,
    summary: 'Lists records that could not be processed, by topic, oldest first.',
    admission: admission(access, readers),
    query: z
      .object({
        ...filtered,
        cursor: z.string().max(100).optional().meta({ description: 'The next_cursor of an earlier answer. Left out: the first page.' }),
        limit: pageParameters.limit,
      })
      .refine(({ cursor }) => cursor === undefined || parseCursor(cursor) !== undefined, notCursor),
    answers: [
      {
        status: 200,
        description: 'One page.',
        schema: pageOf(deadLetterView),
        example: { items: [exampleDeadLetter], next_cursor: null },
      },
    ],
    respond: async (c, { query }) => {
      const from = query.cursor === undefined ? undefined : parseCursor(query.cursor);
      const { items, next } = await listDeadLetters(log, query.topic, Math.min(query.limit, maxLimit), from);
      c.header('cache-control', 'no-store');
      return c.json({ items, next_cursor: next === undefined ? null : encodeCursor(next) });
    },
  });
  const asCsv = exportOperation({
    list: 'dead-letters',
    what: 'dead letters of a filter, without their headers and bytes',
    tag,
    admission: admission(access, readers),
    query: z.object(filtered),
    example: 'topic,offset',
    read: (_, query) =>
      exportPages(Object.keys(deadLetterView.shape), (after: Cursor | undefined) => listDeadLetters(log, query.topic, maxLimit, after)),
  });
  const get = operation({
    name: 'get_dead_letter',
    method: 'GET',
    path: '/v1/dead-letters/{topic}/{offset}',
    tag,
    summary: 'Shows one dead letter: its reason, headers, bytes, and what they say where they can be read.',
    admission: admission(access, readers),
    segments,
    answers: [{ status: 200, description: 'The dead letter.', schema: deadLetterDetailView, example: exampleDetail }],
    problems,
    respond: async (c) => {
      const record = await find(c, log);
      if (record === undefined) return missing(c);
      c.header('cache-control', 'no-store');
      return c.json(await deadLetterDetail(record, codec));
    },
  });
  const replay = operation({
    name: 'replay_dead_letter',
    method: 'POST',
    path: '/v1/dead-letters/{topic}/{offset}/replay',
    tag,
    summary: 'Publishes one dead letter again to the topic it came from: key, bytes and headers as they were.',
    description: 'The dead letter stays, as evidence. A record that still cannot be processed comes back as a new dead letter.',
    admission: admission(access, ['admin']),
    segments,
    answers: [
      {
        status: 200,
        description: 'Published.',
        schema: replayedView,
        example: { topic: exampleDeadLetter.topic, offset: exampleDeadLetter.offset },
      },
    ],
    problems: {
      TOPIC_DENIED: [403, "Kafka does not let the console write to this topic. `weir dlq replay` does it with the operator's user."],
      ...problems,
    },
    repeats: 'Publishes it once more. Its readers know an event that they have processed by its id.',
    respond: async (c) => {
      const record = await find(c, log);
      if (record === undefined) return missing(c);
      try {
        await replayDeadLetters({ db, log }, { topic: record.topic, places: [record], by: personOf(c.get('caller')), at: clock.now() });
      } catch (error) {
        if (!(error instanceof EventLogError) || error.code !== 'TOPIC_DENIED') throw error;
        return problem(c, 403, 'TOPIC_DENIED', 'Kafka does not let the console write to this topic; use weir dlq replay');
      }
      const { topic: name, offset } = deadLetterItem(record);
      return c.json({ topic: name, offset });
    },
  });
  return [list, asCsv, get, replay];
}

async function find(c: Context, log: EventLog): Promise<LogRecord | undefined> {
  const name = topic.safeParse(c.req.param('topic'));
  const place = parsePlace(c.req.param('offset') ?? '');
  return name.success && place !== undefined ? findDeadLetter(log, deadLetterTopicOf(name.data) ?? '', place) : undefined;
}

function missing(c: Context): Response {
  return problem(c, 404, 'NOT_FOUND', 'there is no such dead letter');
}
