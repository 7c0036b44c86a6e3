import { chainNamed } from '../chain-names.ts';
import type { LabelRow } from '../rows.ts';
import { optional, required, Unusable } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import words from './tag-words.json' with { type: 'json' };

const abuses: Readonly<Record<string, string>> = words.abuses;
const categories: Readonly<Record<string, string>> = words.categories;
const confidences: Readonly<Record<string, number>> = words.confidences;

/** GraphSense's tags: of a TagPack with its header's fields, or as a table. `lastmod` is when a tag was written, not from when on it holds. */
export const tagFormat: Format<LabelRow> = {
  checkHeader: (columns) => {
    const missing = [['address'], ['currency', 'network'], ['label']].find((names) => !names.some((name) => columns.includes(name)));
    if (missing !== undefined) throw new Error(`there is no column ${missing.join(' or ')}`);
  },
  map: (fields) => [
    {
      chain: chainNamed(required(fields, 'network', 'currency')),
      address: required(fields, 'address'),
      name: required(fields, 'label', 'actor'),
      category: categoryOf(fields),
      validFrom: null,
      validTo: null,
      confidence: confidenceOf(optional(fields, 'confidence')),
      source: sourceOf(fields),
    },
  ],
};

function categoryOf(fields: Fields): string {
  const concepts = listOf(fields['concepts']);
  const abuse = optional(fields, 'abuse') ?? concepts.find((word) => Object.hasOwn(abuses, word));
  if (abuse !== undefined) return abuses[abuse] ?? words.unknown_abuse;
  const category = optional(fields, 'category') ?? concepts.find((word) => Object.hasOwn(categories, word));
  return categories[category ?? ''] ?? words.unknown_category;
}

function confidenceOf(word: string | undefined): number {
  return confidences[word ?? ''] ?? words.unknown_confidence;
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
