import { topics } from '@weir/contracts';
import type { EventLog, LogRecord } from '@weir/event-log';
import { type DeadLetterItem, deadLetterItem, deadLetters, deadLetterTopicOf, parsePlace, type Place, placeText } from '@weir/service-kit';

/** Records in memory; one has up to 4 MiB. */
const atOnce = 20;

/** The first dead letter of a page. */
export interface Cursor {
  readonly topic: string;
  readonly place: Place;
}

export function encodeCursor({ topic, place }: Cursor): string {
  return Buffer.from(`${topic} ${placeText(place)}`).toString('base64url');
}

export function parseCursor(text: string): Cursor | undefined {
  const [topic = '', offset = ''] = Buffer.from(text, 'base64url').toString('latin1').split(' ');
  const place = parsePlace(offset);
  return place === undefined || !(topics as readonly string[]).includes(topic) ? undefined : { topic, place };
}

/** Up to `limit` dead letters of a topic, or of every topic, oldest first. */
export async function listDeadLetters(
  log: EventLog,
  topic: string | undefined,
  limit: number,
  from: Cursor | undefined,
): Promise<{ items: DeadLetterItem[]; next: Cursor | undefined }> {
  const items: DeadLetterItem[] = [];
  for await (const record of recordsFrom(log, topic === undefined ? topics : [topic], from)) {
    const item = deadLetterItem(record);
    if (items.length === limit)
      return { items, next: { topic: item.topic, place: { partition: record.partition, offset: record.offset } } };
    items.push(item);
  }
  return { items, next: undefined };
}

async function* recordsFrom(log: EventLog, names: readonly string[], from: Cursor | undefined): AsyncGenerator<LogRecord, void, void> {
  const first = from === undefined ? 0 : names.indexOf(from.topic);
  for (const name of first < 0 ? [] : names.slice(first)) {
    const own = name === from?.topic ? from.place : undefined;
    yield* deadLetters(log, deadLetterTopicOf(name) ?? '', { from: own, atOnce });
  }
}
