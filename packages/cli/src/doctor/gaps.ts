import type { LogGap } from '@weir/event-log';
import { gapText } from '../topics/resume.ts';
import { type Finding, wrong } from './finding.ts';

/** Partitions at which a group has stopped, and how to resume. */
export const gapFindings = (gaps: readonly LogGap[]): Finding[] =>
  gaps.map((gap) =>
    wrong(
      'gaps',
      `${gap.group} has stopped reading ${gapText(gap)} before it read them; "weir topics rebuild ${gap.group} --topic ${gap.topic}" publishes ` +
        `them again, and then "weir topics resume ${gap.group} --topic ${gap.topic} --from earliest" goes on`,
    ),
  );
