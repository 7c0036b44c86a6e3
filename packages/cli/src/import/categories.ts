import type { LabelRow, MappedWord, UnknownWord } from '@weir/chain-import';
import { categoryNames, isKnownCategory, nearestCategory } from '@weir/risk-engine';
import { UsageError } from '../failure.ts';
import { note, plain } from '../output.ts';

/** Bounds the list shown to the person. */
const mostNamed = 20;
/** Bounds the memory: a file may have millions. */
const mostCounted = 1_000;

/** Rejects unknown categories in flags: a score would treat them as ordinary. */
export function checkCategories(flag: string, categories: Iterable<string>): void {
  for (const category of categories) {
    if (isKnownCategory(category)) continue;
    throw new UsageError(
      `${flag}: there is no category ${plain(category)}; the nearest is ${nearestCategory(category)}. Known are ${categoryNames.join(', ')}`,
    );
  }
}

/** Counts the rows read by category, those rejected for it, and the mapped and ignored words of tags. */
export class CategoryReport {
  readonly #known = new Map<string, number>();
  readonly #categories = new Map<string, number>();
  readonly #mapped = new Map<string, number>();
  readonly #words = new Map<string, number>();
  readonly #copied = new Map<string, number>();

  readonly watchRow = (row: LabelRow): LabelRow => {
    count(isKnownCategory(row.category) ? this.#known : this.#categories, row.category);
    if (row.authority !== undefined && row.source_kind !== 'authority') count(this.#copied, row.authority);
    return row;
  };

  readonly watchWord = ({ field, word }: UnknownWord): void => count(this.#words, `${field} ${word}`);

  readonly watchMapped = ({ word, category }: MappedWord): void => count(this.#mapped, `${plain(word)} as ${plain(category)}`);

  /** Authorities whose listings were copied. */
  get authorities(): readonly string[] {
    return [...this.#copied.keys()];
  }

  /** `listed`: authorities whose own list is stored. */
  report(listed: ReadonlySet<string>): void {
    const known = inWords(this.#known, ([category, rows]) => `${rows} ${plain(category)}`);
    if (known !== '') note(`Read by category: ${known}.`);
    const mapped = inWords(this.#mapped, ([word, tags]) => `${word} (${tags})`);
    if (mapped !== '') note(`Words of tags counted as another: ${mapped}. To change one: --map-category WORD=CATEGORY.`);
    for (const [authority, rows] of this.#copied)
      note(
        listed.has(authority)
          ? `${rows} ${rows === 1 ? 'row copies' : 'rows copy'} a listing of ${authority}; each ends when the listing in its own list does.`
          : `${rows} ${rows === 1 ? 'row copies' : 'rows copy'} a listing of ${authority}, whose own list is not imported: those that have ended still count as sanctioned.`,
      );
    this.#reportUnknown();
  }

  #reportUnknown(): void {
    for (const [category, rows] of mostFirst(this.#categories).slice(0, mostNamed)) {
      const nearest = nearestCategory(category);
      const name = JSON.stringify(plain(category));
      note(
        `Refused: ${name} is no known category (${rows} ${rows === 1 ? 'row' : 'rows'}); the nearest is ${nearest}: --map-category ${name}=${nearest}`,
      );
    }
    if (this.#categories.size > 0) note(`Known are ${categoryNames.join(', ')}.`);
    if (this.#words.size === 0) return;
    const words = inWords(this.#words, ([word, tags]) => `${JSON.stringify(plain(word))} (${tags})`);
    note(`Words of tags that are not known (an abuse counts as illicit, a confidence as 0.5, a concept as nothing): ${words}.`);
  }
}

function count(counts: Map<string, number>, key: string): void {
  if (counts.has(key) || counts.size < mostCounted) counts.set(key, (counts.get(key) ?? 0) + 1);
}

function inWords(counts: ReadonlyMap<string, number>, words: (entry: [string, number]) => string): string {
  const more = counts.size - mostNamed;
  return `${mostFirst(counts).slice(0, mostNamed).map(words).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
}

function mostFirst(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].toSorted(([, a], [, b]) => b - a);
}
