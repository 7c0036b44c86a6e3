import type { EventLog } from '@weir/event-log';

/** A decision in the topic. */
export interface PublishedDecision {
  readonly partition: number;
  /** The broker's timestamp, Unix milliseconds. */
  readonly at: number;
  readonly id: string;
  readonly content: string;
}

export async function readDecisions(log: EventLog): Promise<PublishedDecision[]> {
  const found: PublishedDecision[] = [];
  for (let partition = 0; partition < (await log.partitions('screenings.decided')); partition += 1) {
    for (let from = 0n; ; ) {
      const page = await log.read('screenings.decided', partition, from, 1_000);
      for (const { timestamp: at, headers, value } of page)
        found.push({ partition, at, id: headers['ce_id'] ?? '', content: value.toString('base64') });
      const last = page.at(-1);
      if (last === undefined) break;
      from = last.offset + 1n;
    }
  }
  return found;
}

/** The longest gaps between decisions that overlap `from` … `to`, overall and of the slowest partition. Milliseconds. */
export function longestPause(decisions: readonly PublishedDecision[], from: number, to: number): { all: number; partition: number } {
  const partitions = [...Map.groupBy(decisions, ({ partition }) => partition).values()];
  return { all: pauseOf(decisions, from, to), partition: Math.max(...partitions.map((each) => pauseOf(each, from, to))) };
}

function pauseOf(decisions: readonly PublishedDecision[], from: number, to: number): number {
  const times = decisions.map(({ at }) => at).sort((a, b) => a - b);
  const gaps = times.slice(1).map((at, i) => [times[i] ?? at, at] as const);
  return Math.max(0, ...gaps.filter(([begin, end]) => end > from && begin < to).map(([begin, end]) => end - begin));
}
