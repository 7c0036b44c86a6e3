import { chainNamed } from '../chain-names.ts';
import { plainDecimal } from '../decimal.ts';
import { type LabelRow, type SourceKind, sourceKinds } from '../rows.ts';
import { checkColumns, type Columns, orDefault, renamed } from '../source/columns.ts';
import { instant, optional, required, Unusable } from '../source/fields.ts';
import { unneutralised } from '../source/formulas.ts';
import type { Fields, Format } from '../source/records.ts';
import { writtenAddress } from '../written.ts';

/** Values for absent cells. */
export interface LabelDefaults {
  readonly chain?: string;
  readonly category?: string;
  readonly source?: string;
  readonly confidence?: number;
  readonly source_kind?: SourceKind;
}

export const labelColumns = [
  'chain',
  'address',
  'name',
  'category',
  'valid_from',
  'valid_to',
  'confidence',
  'source',
  'source_kind',
  'authority',
] as const;

/** For lists without a confidence: their publisher stands by them. */
const usualConfidence = 0.9;

/** Any list may be a CSV, so none is taken for an owner's or an authority's own. */
const usualSourceKind: SourceKind = 'curated';

/** Reads Weir's own columns, or others by `columns`. */
export function labelFormat(
  columns: Columns,
  defaults: LabelDefaults,
  categories: ReadonlyMap<string, string> = new Map(),
): Format<LabelRow> {
  const needed = labelColumns.filter(
    (name) => ['chain', 'address', 'name', 'category', 'source'].includes(name) && !Object.hasOwn(defaults, name),
  );
  return {
    checkHeader: (found) => checkColumns(found, columns, needed),
    map: (fields) => {
      const label = toLabel(renamed(fields, columns, labelColumns), defaults);
      return [{ ...label, category: categories.get(label.category.toLowerCase()) ?? label.category }];
    },
  };
}

function toLabel(fields: Fields, defaults: LabelDefaults): LabelRow {
  const chain = chainNamed(orDefault(optional(fields, 'chain'), defaults.chain, 'chain'));
  const authority = optional(fields, 'authority');
  return {
    chain,
    address: writtenAddress(chain, required(fields, 'address')),
    // Restores labels that Weir exported as CSV.
    name: unneutralised(required(fields, 'name')),
    category: orDefault(optional(fields, 'category'), defaults.category, 'category'),
    valid_from: timeOf(fields, 'valid_from'),
    valid_to: timeOf(fields, 'valid_to'),
    confidence: confidenceOf(optional(fields, 'confidence')) ?? defaults.confidence ?? usualConfidence,
    source: unneutralised(orDefault(optional(fields, 'source'), defaults.source, 'source')),
    source_kind: sourceKindOf(optional(fields, 'source_kind')) ?? defaults.source_kind ?? usualSourceKind,
    ...(authority === undefined ? {} : { authority: unneutralised(authority) }),
  };
}

function sourceKindOf(text: string | undefined): SourceKind | undefined {
  const known = sourceKinds.find((kind) => kind === text?.toLowerCase());
  if (text !== undefined && known === undefined) throw new Unusable(`source_kind is none of ${sourceKinds.join(', ')}`);
  return known;
}

function timeOf(fields: Fields, name: string): string | null {
  const text = optional(fields, name);
  return text === undefined ? null : instant(text, name);
}

function confidenceOf(text: string | undefined): number | undefined {
  const plain = text === undefined ? undefined : plainDecimal(text);
  if (text !== undefined && plain === undefined) throw new Unusable('confidence is not a number from 0 to 1');
  return plain === undefined ? undefined : Number(plain);
}
