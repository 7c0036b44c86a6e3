import type { Assessment } from '@weir/risk-engine';

type Exposure = Assessment['exposures'][number];

export interface PathPart {
  /** In the order of time: of a longer path both ends. */
  readonly path: ReturnType<typeof hopData>[];
  readonly path_left_out: number;
  readonly hop_dic?: Record<string, string[]>;
}

/**
 * The lines with the paths of their exposures, in at most `bytes` of JSON if the lines alone have fewer: of every path both ends first, in
 * the order given, and then the whole of the first ones.
 */
export function withPaths<Line extends object>(lines: readonly (readonly [Line, Exposure])[], bytes: number): (Line & PathPart)[] {
  const told = lines.map(([line, exposure]) => ({ ...line, ...partOf(exposure, 0) }));
  let left = bytes - told.reduce((sum, each) => sum + sizeOf(each), 0);
  for (const ends of [1, Infinity]) {
    for (const [index, [line, exposure]] of lines.entries()) {
      const longer = { ...line, ...partOf(exposure, ends) };
      const more = sizeOf(longer) - sizeOf(told[index] ?? {});
      if (more <= 0 || more > left) continue;
      told[index] = longer;
      left -= more;
    }
  }
  return told;
}

/** `ends`: transfers of each end. */
function partOf({ path, hop_num, hop_dic }: Exposure, ends: number): PathPart {
  const shown = endsOf(path, ends);
  const hops = endsOf(Object.entries(hop_dic ?? {}), Math.max(ends, 1)).map(([hop, at]): [string, string[]] => [hop, [...at]]);
  return {
    path: shown.map(hopData),
    path_left_out: Math.max(hop_num - shown.length, 0),
    ...(hop_dic === undefined ? {} : { hop_dic: Object.fromEntries(hops) }),
  };
}

function endsOf<Item>(items: readonly Item[], ends: number): readonly Item[] {
  return items.length <= 2 * ends ? items : [...items.slice(0, ends), ...items.slice(items.length - ends)];
}

function hopData({ tx, at, coin, amount = null, usd, from, to }: Exposure['path'][number]) {
  return { txid: tx, time: new Date(at).toISOString(), coin, amount, usd, from, to };
}

/** With the comma between two. */
function sizeOf(line: object): number {
  return Buffer.byteLength(JSON.stringify(line)) + 1;
}
