import { systemClock } from '@weir/clock';
import { rebuildResolutions } from '@weir/console';
import { type Topic, topicSpecs } from '@weir/contracts';
import { rebuildDecisions } from '@weir/decision';
import { rebuildDeposits, rebuildRequests } from '@weir/deposit-ingest';
import type { LogGap } from '@weir/event-log';
import { type Rebuild, recordActivity } from '@weir/service-kit';
import { rebuildWithdrawals } from '@weir/withdrawal-gate';
import { confirm } from '../confirm.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, print, printJson } from '../output.ts';
import { openProgress } from '../progress.ts';
import { findRecordedGaps, noteRebuilt } from './recorded-gaps.ts';
import { gapJson, gapText } from './resume.ts';
import { republishRecorded, republishUnrecorded } from './stored-events.ts';

interface RebuildFlags extends PlaceFlags {
  readonly topic?: string;
  readonly yes?: true;
  readonly json?: true;
}

/** Republished events of a topic, by their source. */
interface Rebuilt {
  readonly topic: string;
  readonly audit_log: number;
  readonly outbox: number;
  readonly tables: number;
}

/** From the tables of the service that writes the topic. Events of other topics exist only in the outbox and the audit log. */
const fromTables: Partial<Record<Topic, (of: Rebuild) => Promise<number>>> = {
  'deposits.detected': rebuildDeposits,
  'withdrawals.requested': rebuildWithdrawals,
  'screenings.requested': rebuildRequests,
  'reviews.resolved': rebuildResolutions,
  'screenings.decided': rebuildDecisions,
};

export async function runRebuild(group: string, flags: RebuildFlags): Promise<void> {
  const { topic: named } = flags;
  if (named !== undefined && !topicSpecs.some(({ name }) => name === named)) throw new UsageError(`there is no topic ${named}`);
  await withInstallation(flags, async ({ pool, log, codec, clock }) => {
    const lags = await log.lag(group);
    const isMeant = ({ topic }: LogGap): boolean => (named ?? topic) === topic;
    const open = lags.flatMap(({ gap }) => gap ?? []).filter(isMeant);
    // "resume" removes the gap, and its lost records may still be needed.
    const recorded = (await findRecordedGaps(pool, group)).filter(isMeant);
    const gaps = [...open, ...recorded.filter((gap) => !open.some((other) => isSamePlace(gap, other)))];
    const wanted = named === undefined ? [...new Set(gaps.map(({ topic }) => topic))] : [named];
    if (!flags.json) for (const gap of gaps) await print(`${gapText(gap)}\n`);
    const isWanted = lags.length > 0 && wanted.length > 0;
    const go = isWanted && (await confirm(`Publish what is stored of ${wanted.join(', ')} again?`, flags.yes));
    if (go)
      await recordActivity(pool, {
        action: 'records_rebuilt',
        subjectType: 'group',
        subject: group,
        by: operator(),
        details: { topics: wanted.join(', '), gaps: gaps.map(gapText).join('; ') },
        at: clock.now(),
      });
    const rebuilt = go ? await rebuild({ pool, log, codec }, wanted, gaps) : [];
    if (go) await noteRebuilt(pool, gaps);
    if (flags.json) await printJson({ group, gaps: gaps.map(gapJson), rebuilt });
    else for (const one of rebuilt) await print(`${lineOf(one)}\n`);
    if (lags.length === 0) note(`No group ${group} has read anything.`);
    else if (!isWanted) note('There is no gap; --topic names a topic to rebuild all the same.');
    else if (!go) note('Nothing was changed.');
    else note(open.length === 0 ? 'Done.' : `Done; "weir topics resume ${group} --from earliest" lets ${group} read on.`);
  });
}

/** The gap of a group that has not resumed yet may have grown since it was recorded. */
function isSamePlace(one: LogGap, other: LogGap): boolean {
  return one.topic === other.topic && one.partition === other.partition && one.missing === other.missing;
}

async function rebuild(of: Rebuild, wanted: readonly string[], gaps: readonly LogGap[]): Promise<Rebuilt[]> {
  const progress = openProgress(systemClock);
  let published = 0;
  const showing: Rebuild = { ...of, onBatch: (count) => progress.show((published += count), undefined, 'published') };
  const rebuilt: Rebuilt[] = [];
  for (const topic of wanted) {
    let recorded = 0;
    for (const gap of gaps) if (gap.topic === topic) recorded += await republishRecorded(showing, gap);
    const outbox = await republishUnrecorded(showing, topic);
    const tables = (await fromTables[topic as Topic]?.(showing)) ?? 0;
    rebuilt.push({ topic, audit_log: recorded, outbox, tables });
  }
  progress.clear();
  return rebuilt;
}

function lineOf({ topic, audit_log, outbox, tables }: Rebuilt): string {
  return `${topic}: published ${audit_log} from the audit log, ${outbox} from the outbox, ${tables} from tables`;
}
