import { chainNamed } from '../chain-names.ts';
import type { LabelRow, SourceKind } from '../rows.ts';
import { optional, required } from '../source/fields.ts';
import type { Fields, Format } from '../source/records.ts';
import { sanctionIn } from './tag-sanctions.ts';
import { hostsOf, listOf } from './tag-fields.ts';
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
    const sanction = sanctionIn(fields);
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
  const byConcept = (table: Readonly<Record<string, string>>): string | undefined => {
    const word = concepts.find((concept) => wordIn(table, concept) !== undefined);
    return word === undefined ? undefined : mapped(word, given.get(word.toLowerCase()) ?? wordIn(table, word) ?? words.no_category);
  };
  const abuse = optional(fields, 'abuse');
  if (abuse !== undefined) {
    const meaning = given.get(abuse.toLowerCase()) ?? wordIn(abuses, abuse);
    if (meaning === undefined) onUnknownWord?.({ field: 'abuse', word: abuse });
    return mapped(abuse, meaning ?? words.unknown_abuse);
  }
  const abusive = byConcept(abuses);
  if (abusive !== undefined) return abusive;
  const category = optional(fields, 'category');
  if (category !== undefined) return mapped(category, given.get(category.toLowerCase()) ?? wordIn(categories, category) ?? category);
  return byConcept(categories) ?? words.no_category;
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

/**
 * The pack's maker, so that tags of one crawl count as one source, whatever pages they cite. Without a maker the pack; a tag of no pack
 * has the hosts that it cites.
 */
function sourceOf(fields: Fields): string {
  const hosts = hostsOf(fields['source']).join(' ');
  return `GraphSense: ${optional(fields, 'creator', 'publisher', 'tagpack', 'title') ?? (hosts === '' ? 'TagPack' : hosts)}`;
}
