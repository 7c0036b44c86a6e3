import { systemClock } from '@weir/clock';
import { deadLetterTopic, topics } from '@weir/contracts';
import type { EventLog } from '@weir/event-log';
import { recordActivity } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, print, printBytes, printJson, printJsonList, printTable } from '../output.ts';
import { openProgress } from '../progress.ts';
import { deadLetterAt, deadLetters, deadLetterTopicOf, findAll, type Place, parsePlace, placeText, replay } from './dead-letters.ts';
import { listHead, listItem, rowOf, viewOf } from './view.ts';

export async function runList(flags: PlaceFlags & { topic?: string; json?: true }): Promise<void> {
  const wanted = flags.topic === undefined ? topics.map(deadLetterTopic) : [deadLetterTopicOf(flags.topic)];
  await withInstallation(flags, async ({ log }) => {
    if (flags.json) return printJsonList(itemsOf(log, wanted));
    const count = await printTable(listHead, itemsOf(log, wanted), rowOf);
    return note(
      count === 0 ? 'No dead letters.' : `${count} dead letter${count === 1 ? '' : 's'}. "weir dlq show TOPIC OFFSET" shows one.`,
    );
  });
}

async function* itemsOf(log: EventLog, wanted: readonly string[]): AsyncGenerator<ReturnType<typeof listItem>, void, void> {
  for (const topic of wanted) for await (const record of deadLetters(log, topic)) yield listItem(record);
}

export async function runShow(name: string, offset: string, flags: PlaceFlags & { raw?: true; json?: true }): Promise<void> {
  const topic = deadLetterTopicOf(name);
  const place = parsePlace(offset);
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
  const topic = deadLetterTopicOf(name);
  const given = [...new Set(offsets)].map(parsePlace);
  if (given.length > 0 === (flags.all === true)) throw new UsageError('give offsets, or --all');
  const original = topic.replace(/\.dlq$/, '');
  await withInstallation(flags, async ({ log, pool, clock }) => {
    const places = flags.all ? await findAll(log, topic, flags.reason) : await check(log, topic, given, flags.reason);
    const what = `${places.length} record${places.length === 1 ? '' : 's'}`;
    const go = places.length > 0 && (await confirm(`Publish ${what} to ${original} again? They cannot be taken back.`, flags.yes));
    if (go) {
      // Before the first is published, so that none goes unseen.
      await recordActivity(pool, {
        action: 'dead_letters_replayed',
        subjectType: 'topic',
        subject: original,
        by: operator(),
        details: { count: String(places.length), offsets: listed(places.map(placeText)), reason: flags.reason ?? null },
        at: clock.now(),
      });
      const progress = openProgress(systemClock);
      await replay(log, topic, places, (count) => progress.show(count, places.length, 'published'));
      progress.clear();
    }
    if (flags.json) await printJson({ topic: original, replayed: go ? places.length : 0, offsets: go ? places.map(placeText) : [] });
    if (places.length === 0) note('No matching dead letter.');
    else note(go ? `Published ${what} to ${original}; the dead letters stay as they are.` : 'Nothing was changed.');
  });
}

/** An event is small: of many, the first. */
const mostListed = 100;

function listed(places: readonly string[]): string {
  return places.slice(0, mostListed).join(', ') + (places.length > mostListed ? ', …' : '');
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
