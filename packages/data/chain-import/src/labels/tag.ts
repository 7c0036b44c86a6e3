import { chainNamed } from '../chain-names.ts';
import type { LabelRow } from '../rows.ts';
import { optional, required, Unusable } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import words from './tag-words.json' with { type: 'json' };

const abuses: Readonly<Record<string, string>> = words.abuses;
const categories: Readonly<Record<string, string>> = words.categories;
const confidences: Readonly<Record<string, number>> = words.confidences;

/** An unknown word of a tag: ignored, or replaced by the field's default. */
export interface UnknownWord {
  readonly field: 'abuse' | 'concepts' | 'confidence';
  readonly word: string;
}

export interface TagOptions {
  /** Weir's category by the file's category or abuse, in lower case. */
  readonly categories?: ReadonlyMap<string, string>;
  readonly onUnknownWord?: (unknown: UnknownWord) => void;
}

/** GraphSense tags, from a TagPack with its header's fields or from a table. `lastmod` is the edit time, not the start of validity. */
export const tagFormat = (options: TagOptions = {}): Format<LabelRow> => ({
  checkHeader: (columns) => {
    const missing = [['address'], ['currency', 'network'], ['label']].find((names) => !names.some((name) => columns.includes(name)));
    if (missing !== undefined) throw new Error(`there is no column ${missing.join(' or ')}`);
  },
  map: (fields) => [
    {
      chain: chainNamed(required(fields, 'network', 'currency')),
      address: required(fields, 'address'),
      name: required(fields, 'label', 'actor'),
      category: categoryOf(fields, options),
      valid_from: null,
      valid_to: null,
      confidence: confidenceOf(fields, options),
      source: sourceOf(fields),
    },
  ],
});

/**
 * An unknown abuse is still one. An unknown category would count as harmless, so it stays as it is:
 * the store rejects the label and suggests the nearest.
 */
function categoryOf(fields: Fields, { categories: given = new Map(), onUnknownWord }: TagOptions): string {
  const concepts = listOf(fields['concepts']);
  for (const word of concepts)
    if ((wordIn(abuses, word) ?? wordIn(categories, word)) === undefined) onUnknownWord?.({ field: 'concepts', word });
  const abuse = optional(fields, 'abuse');
  if (abuse !== undefined) {
    const meaning = given.get(abuse.toLowerCase()) ?? wordIn(abuses, abuse);
    if (meaning === undefined) onUnknownWord?.({ field: 'abuse', word: abuse });
    return meaning ?? words.unknown_abuse;
  }
  const abusive = firstIn(abuses, concepts);
  if (abusive !== undefined) return abusive;
  const category = optional(fields, 'category');
  if (category !== undefined) return given.get(category.toLowerCase()) ?? wordIn(categories, category) ?? category;
  return firstIn(categories, concepts) ?? words.no_category;
}

function confidenceOf(fields: Fields, { onUnknownWord }: TagOptions): number {
  const word = optional(fields, 'confidence');
  const known = word === undefined ? undefined : wordIn(confidences, word);
  if (word !== undefined && known === undefined) onUnknownWord?.({ field: 'confidence', word });
  return known ?? words.unknown_confidence;
}

function wordIn<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  const key = word.toLowerCase();
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function firstIn(table: Readonly<Record<string, string>>, candidates: readonly string[]): string | undefined {
  return candidates.map((word) => wordIn(table, word)).find((meaning) => meaning !== undefined);
}

/** A tag may name several sources. */
function sourceOf(fields: Fields): string {
  const named = listOf(fields['source']).join(' ');
  return `GraphSense: ${named === '' ? (optional(fields, 'tagpack', 'title', 'creator') ?? 'TagPack') : named}`;
}

function listOf(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return [];
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  if (!items.every((item) => typeof item === 'string')) throw new Unusable('source or concepts is no text and no list of texts');
  return items;
}
