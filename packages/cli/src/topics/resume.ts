import type { LogGap } from '@weir/event-log';
import { transaction } from '@weir/postgres';
import { recordActivity } from '@weir/service-kit';
import { confirm } from '../confirm.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { operator } from '../operator.ts';
import { note, print, printJson } from '../output.ts';
import { findRecordedGaps, recordGaps } from './recorded-gaps.ts';

interface ResumeFlags extends PlaceFlags {
  readonly topic?: string;
  readonly yes?: true;
  readonly json?: true;
}

export async function runResume(group: string, flags: ResumeFlags): Promise<void> {
  await withInstallation(flags, async ({ log, pool, clock }) => {
    const lags = await log.lag(group);
    const gaps = lags.flatMap(({ gap, topic }) => (gap !== undefined && (flags.topic ?? topic) === topic ? [gap] : []));
    if (!flags.json) for (const gap of gaps) await print(`${gapText(gap)}\n`);
    const go = gaps.length > 0 && (await confirm(`Let ${group} read on without these records?`, flags.yes));
    if (go) {
      // Before the log forgets the offsets. A gap that stays stored without a resume does no harm.
      await recordGaps(pool, gaps);
      await transaction(pool, async (tx) => {
        await recordActivity(tx, {
          action: 'gap_passed',
          subjectType: 'group',
          subject: group,
          by: operator(),
          details: { gaps: gaps.map(gapText).join('; ') },
          at: clock.now(),
        });
        // Last: a group that refuses leaves no act.
        await log.resume(gaps);
      });
    }
    const isRebuilt = go && (await findRecordedGaps(pool, group)).length === 0;
    if (flags.json) await printJson({ group, resumed: go ? gaps.map(gapJson) : [] });
    if (gaps.length === 0) note(lags.length === 0 ? `No group ${group} has read anything.` : 'There is no gap.');
    else if (!go) note('Nothing was changed.');
    else
      note(
        isRebuilt
          ? `${group} reads on.`
          : `${group} reads on; "weir topics rebuild ${group}" publishes again what is stored of these records.`,
      );
  });
}

export function gapText({ topic, partition, missing, available }: LogGap): string {
  return `${topic}/${partition}: offsets ${missing} to ${available - 1n} are gone`;
}

export function gapJson({ topic, partition, missing, available }: LogGap) {
  return { topic, partition, missing: String(missing), available: String(available) };
}
