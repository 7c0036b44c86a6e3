import type { LabelRow, UnknownWord } from '@weir/chain-import';
import { categoryNames, isKnownCategory, nearestCategory } from '@weir/risk-engine';
import { UsageError } from '../failure.ts';
import { note, plain } from '../output.ts';

/** Bounds the list shown to the person. */
const mostNamed = 20;

/** Rejects unknown categories in flags: a score would treat them as ordinary. */
export function checkCategories(flag: string, categories: Iterable<string>): void {
  for (const category of categories) {
    if (isKnownCategory(category)) continue;
    throw new UsageError(
      `${flag}: there is no category ${plain(category)}; the nearest is ${nearestCategory(category)}. Known are ${categoryNames.join(', ')}`,
    );
  }
}

/** Counts rows rejected for their category, and ignored words of tags, for the report. */
export class UnknownCategories {
  readonly #categories = new Map<string, number>();
  readonly #words = new Map<string, number>();

  readonly watchRow = (row: LabelRow): LabelRow => {
    if (!isKnownCategory(row.category)) count(this.#categories, row.category);
    return row;
  };

  readonly watchWord = ({ field, word }: UnknownWord): void => count(this.#words, `${field} ${word}`);

  report(): void {
    for (const [category, rows] of mostFirst(this.#categories)) {
      const nearest = nearestCategory(category);
      const name = JSON.stringify(plain(category));
      note(
        `Refused: ${name} is no known category (${rows} ${rows === 1 ? 'row' : 'rows'}); the nearest is ${nearest}: --map-category ${name}=${nearest}`,
      );
    }
    if (this.#categories.size > 0) note(`Known are ${categoryNames.join(', ')}.`);
    if (this.#words.size === 0) return;
    const words = mostFirst(this.#words).map(([word, tags]) => `${JSON.stringify(plain(word))} (${tags})`);
    note(`Words of tags that are not known (an abuse counts as illicit, a confidence as 0.5, a concept as nothing): ${words.join(', ')}.`);
  }
}

function count(counts: Map<string, number>, key: string): void {
  // Bounds the memory: a file may have millions.
  if (counts.has(key) || counts.size < mostNamed) counts.set(key, (counts.get(key) ?? 0) + 1);
}

function mostFirst(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
