import { systemClock } from '@weir/clock';
import { deadLetterTopic, topics } from '@weir/contracts';
import type { EventLog } from '@weir/event-log';
import {
  deadLetterAt,
  deadLetterItem,
  type DeadLetterItem,
  deadLetters,
  deadLetterTopicOf,
  findDeadLetters,
  parsePlace,
  type Place,
  placeText,
  replayDeadLetters,
  sourceTopicOf,
} from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, print, printBytes, printJson, printJsonList, printTable } from '../output.ts';
import { openProgress } from '../progress.ts';
import { listHead, rowOf, viewOf } from './view.ts';

export async function runList(flags: PlaceFlags & { topic?: string; json?: true }): Promise<void> {
  const wanted = flags.topic === undefined ? topics.map(deadLetterTopic) : [topicOf(flags.topic)];
  await withInstallation(flags, async ({ log }) => {
    if (flags.json) return printJsonList(itemsOf(log, wanted));
    const count = await printTable(listHead, itemsOf(log, wanted), rowOf);
    return note(
      count === 0 ? 'No dead letters.' : `${count} dead letter${count === 1 ? '' : 's'}. "weir dlq show TOPIC OFFSET" shows one.`,
    );
  });
}

async function* itemsOf(log: EventLog, wanted: readonly string[]): AsyncGenerator<DeadLetterItem, void, void> {
  for (const topic of wanted) for await (const record of deadLetters(log, topic)) yield deadLetterItem(record);
}

export async function runShow(name: string, offset: string, flags: PlaceFlags & { raw?: true; json?: true }): Promise<void> {
  const topic = topicOf(name);
  const place = placeOf(offset);
  await withInstallation(flags, async ({ log, codec }) => {
    const record = await deadLetterAt(log, topic, place);
    if (flags.raw) return printBytes(record.value);
    const view = await viewOf(record, codec);
    return flags.json ? printJson(view.json) : print(view.text);
  });
}

interface ReplayFlags extends PlaceFlags {
  readonly all?: true;
  readonly reason?: string;
  readonly yes?: true;
  readonly json?: true;
}

export async function runReplay(name: string, offsets: readonly string[], flags: ReplayFlags): Promise<void> {
  const topic = topicOf(name);
  const given = [...new Set(offsets)].map(placeOf);
  if (given.length > 0 === (flags.all === true)) throw new UsageError('give offsets, or --all');
  const original = sourceTopicOf(topic);
  await withInstallation(flags, async ({ log, pool, clock }) => {
    const places = flags.all ? await findDeadLetters(log, topic, flags.reason) : await check(log, topic, given, flags.reason);
    const what = `${places.length} record${places.length === 1 ? '' : 's'}`;
    const go = places.length > 0 && (await confirm(`Publish ${what} to ${original} again? They cannot be taken back.`, flags.yes));
    if (go) {
      const progress = openProgress(systemClock);
      const onPublished = (count: number): void => progress.show(count, places.length, 'published');
      await replayDeadLetters({ db: pool, log }, { topic, places, reason: flags.reason, by: operator(), at: clock.now(), onPublished });
      progress.clear();
    }
    if (flags.json) await printJson({ topic: original, replayed: go ? places.length : 0, offsets: go ? places.map(placeText) : [] });
    if (places.length === 0) note('No matching dead letter.');
    else note(go ? `Published ${what} to ${original}; the dead letters stay as they are.` : 'Nothing was changed.');
  });
}

function topicOf(name: string): string {
  const topic = deadLetterTopicOf(name);
  if (topic === undefined) throw new UsageError(`there is no topic ${name}; there are ${topics.join(', ')}`);
  return topic;
}

function placeOf(text: string): Place {
  const place = parsePlace(text);
  if (place === undefined) throw new UsageError(`${JSON.stringify(text)} is not an offset`);
  return place;
}

/** Checks all of them before the first is published. */
async function check(log: EventLog, topic: string, places: readonly Place[], reason: string | undefined): Promise<Place[]> {
  const found: Place[] = [];
  for (const place of places) {
    const { headers } = await deadLetterAt(log, topic, place);
    if (reason === undefined || headers['weir_reason'] === reason) found.push(place);
  }
  return found;
}
