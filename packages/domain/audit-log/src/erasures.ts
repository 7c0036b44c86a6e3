import { parseRanges, type Range } from './ranges.ts';

/** An act of erasure, as its own entry of the log has it. */
export interface ErasureAct {
  readonly event_id: string;
  readonly index: number;
  /** Indexes of the erased entries, as of `formatRanges`. */
  readonly entries: string;
  /** By retention: erases entries with an event before this time. By request: null. RFC 3339 in UTC. */
  readonly before: string | null;
  /** Why the act itself does not count, such as that one person alone made it; undefined: it counts. */
  readonly problem: string | undefined;
}

interface Erased {
  readonly ranges: { readonly first: number; last: number }[];
  latest: string;
}

/** Compares the erased entries of a log with its acts of erasure. An entry without its payload and without an act was tampered with. */
export class ErasureCheck {
  readonly #erased = new Map<string, Erased>();
  readonly #acts = new Map<string, { readonly act: ErasureAct; readonly ranges: readonly Range[] | undefined }>();
  #count = 0;

  /** Erased entries so far. */
  get count(): number {
    return this.#count;
  }

  /** Call it in the order of the indexes. */
  seeErased(index: number, { erased_by, event_time }: { readonly erased_by: string; readonly event_time: string }): void {
    this.#count += 1;
    const known = this.#erased.get(erased_by) ?? { ranges: [], latest: event_time };
    this.#erased.set(erased_by, known);
    const before = known.ranges.at(-1);
    if (before !== undefined && before.last + 1 === index) before.last = index;
    else known.ranges.push({ first: index, last: index });
    if (Date.parse(event_time) > Date.parse(known.latest)) known.latest = event_time;
  }

  seeAct(act: ErasureAct): void {
    const ranges = parseRanges(act.entries);
    // An act comes after what it erases.
    const isPossible = ranges !== undefined && (ranges.at(-1)?.last ?? 0) < act.index;
    this.#acts.set(act.event_id, { act, ranges: isPossible ? ranges : undefined });
  }

  /** One line for each entry that is erased without an act, or is there despite of one. Of a part of a log, `isPart`, the latter is not known. */
  *problems({ isPart }: { readonly isPart: boolean }): Generator<string, void, void> {
    for (const [id, { ranges, latest }] of this.#erased) {
      const known = this.#acts.get(id);
      const problem = known === undefined ? 'the log has no such act of erasure' : whyNot(known.act, latest);
      const named = problem === undefined ? known?.ranges : undefined;
      for (const index of indexesOf(ranges, named ?? []))
        yield `entry ${index} is erased by ${id}: ${problem ?? 'that act of erasure does not name it'}`;
    }
    if (isPart) return;
    for (const [id, { act, ranges }] of this.#acts) {
      if (ranges === undefined) yield `entry ${act.index} (${id}) is an act of erasure, and does not name entries before it`;
      for (const index of indexesOf(ranges ?? [], this.#erased.get(id)?.ranges ?? []))
        yield `entry ${index} was to be erased by ${id}, and is not`;
    }
  }
}

function whyNot({ before, problem }: ErasureAct, latest: string): string | undefined {
  if (problem !== undefined) return problem;
  return before !== null && !(Date.parse(latest) < Date.parse(before))
    ? `retention ended for events before ${before}, and not for all of these`
    : undefined;
}

/** Numbers in the first ranges that are not in the second ones. Both ascend. */
function* indexesOf(ranges: readonly Range[], without: readonly Range[]): Generator<number, void, void> {
  let at = 0;
  for (const { first, last } of ranges)
    for (let index = first; index <= last; index += 1) {
      while (at < without.length && (without[at] as Range).last < index) at += 1;
      const range = without[at];
      if (range === undefined || range.first > index) yield index;
      else index = Math.min(range.last, last);
    }
}
