import { chainNamed } from '../chain-names.ts';
import type { LabelRow, SourceKind } from '../rows.ts';
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

/** A word of a tag and the category that it became. */
export interface MappedWord {
  readonly word: string;
  readonly category: string;
}

export interface TagOptions {
  /** Weir's category by the file's category or abuse, in lower case. */
  readonly categories?: ReadonlyMap<string, string>;
  /** Of tags whose confidence does not say how the source knows. Default: curated. */
  readonly sourceKind?: SourceKind;
  readonly onUnknownWord?: (unknown: UnknownWord) => void;
  /** Called for each tag whose category is not its own word. */
  readonly onMappedWord?: (mapped: MappedWord) => void;
}

/** GraphSense tags, from a TagPack with its header's fields or from a table. `lastmod` is the edit time, not the start of validity. */
export const tagFormat = (options: TagOptions = {}): Format<LabelRow> => ({
  checkHeader: (columns) => {
    const missing = [['address'], ['currency', 'network'], ['label']].find((names) => !names.some((name) => columns.includes(name)));
    if (missing !== undefined) throw new Error(`there is no column ${missing.join(' or ')}`);
  },
  map: (fields) => {
    const label = {
      chain: chainNamed(required(fields, 'network', 'currency')),
      address: required(fields, 'address'),
      name: required(fields, 'label', 'actor'),
      valid_from: null,
      valid_to: null,
      confidence: confidenceOf(fields, options),
      source: sourceOf(fields),
      source_kind: kindOf(fields, options),
    };
    const sanction = sanctionOf(fields);
    const own = categoryOf(fields, options);
    if (sanction === undefined) return [{ ...label, category: own }];
    const category = options.categories?.get('sanction') ?? sanctioned;
    if (own !== category) options.onMappedWord?.({ word: 'words of sanctions', category });
    const listing = { ...label, category, ...(sanction.authority === undefined ? {} : { authority: sanction.authority }) };
    // When the listing has ended, the tag still says that this is a mixer.
    return own === category || harmless.has(own) ? [listing] : [listing, { ...label, category: own }];
  },
});

const sanctioned = words.abuses.sanction;
/** Beside a sanction they would only vouch for its bearer. */
const harmless: ReadonlySet<string> = new Set(words.harmless);
const saysSanction = /(?<![a-z])(?:sanction|(?:ofac|sdn)(?![a-z]))/i;
const saysEnded = /(?<![a-z])(?:de-?listed|delisting|lifted|formerly|no longer)(?![a-z])/i;
const saysOfac = /(?<![a-z])(?:ofac|sdn|treasury\.gov)(?![a-z])/i;

/** Undefined when the tag says nothing of sanctions. Beside an abuse its name is no statement: there is ransomware called Sanction. */
function sanctionOf(fields: Fields): { authority: string | undefined } | undefined {
  const abuse = optional(fields, 'abuse');
  const claims = [optional(fields, 'category'), abuse, ...listOf(fields['concepts'])];
  const names = abuse === undefined ? [optional(fields, 'label'), optional(fields, 'actor')] : [];
  const said = [...claims, ...names, optional(fields, 'title'), optional(fields, 'tagpack'), ...listOf(fields['source'])].join(' ');
  if (!saysSanction.test(said)) return undefined;
  if (saysEnded.test(said)) throw new Unusable('the tag says that a sanctions listing has ended, but not when');
  return { authority: saysOfac.test(said) ? 'OFAC' : undefined };
}

/**
 * An unknown abuse is still one. An unknown category would count as harmless, so it stays as it is:
 * the store rejects the label and suggests the nearest.
 */
function categoryOf(fields: Fields, { categories: given = new Map(), onUnknownWord, onMappedWord }: TagOptions): string {
  const concepts = listOf(fields['concepts']);
  for (const word of concepts)
    if ((wordIn(abuses, word) ?? wordIn(categories, word)) === undefined) onUnknownWord?.({ field: 'concepts', word });
  const mapped = (word: string, category: string): string => {
    if (word.toLowerCase() !== category) onMappedWord?.({ word, category });
    return category;
  };
  const abuse = optional(fields, 'abuse');
  if (abuse !== undefined) {
    const meaning = given.get(abuse.toLowerCase()) ?? wordIn(abuses, abuse);
    if (meaning === undefined) onUnknownWord?.({ field: 'abuse', word: abuse });
    return mapped(abuse, meaning ?? words.unknown_abuse);
  }
  const abusive = firstIn(abuses, concepts);
  if (abusive !== undefined) return abusive;
  const category = optional(fields, 'category');
  if (category !== undefined) return mapped(category, given.get(category.toLowerCase()) ?? wordIn(categories, category) ?? category);
  return firstIn(categories, concepts) ?? words.no_category;
}

function confidenceOf(fields: Fields, { onUnknownWord }: TagOptions): number {
  const word = optional(fields, 'confidence');
  const known = word === undefined ? undefined : wordIn(confidences, word);
  if (word !== undefined && known === undefined) onUnknownWord?.({ field: 'confidence', word });
  return known ?? words.unknown_confidence;
}

const kinds: Readonly<Record<string, SourceKind>> = words.source_kinds as Readonly<Record<string, SourceKind>>;

function kindOf(fields: Fields, { sourceKind = 'curated' }: TagOptions): SourceKind {
  return wordIn(kinds, optional(fields, 'confidence') ?? '') ?? sourceKind;
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
