import { readXml, textOf, within, type XmlElement } from '../../source/xml.ts';
import { instant, Unusable } from '../../source/fields.ts';
import type { Listing, ListOrigin, UnusableListing } from './listing.ts';
import { addressesIn } from './remarks.ts';

/** A list without a field for crypto addresses: they stand in its free texts, if anywhere. */
export interface OfficialXml {
  readonly origin: ListOrigin;
  readonly root: string;
  readonly records: readonly string[];
  entity(record: XmlElement): string;
  /** The date of designation, as the list writes it. */
  from(record: XmlElement): string | undefined;
  programmes(record: XmlElement): readonly (string | undefined)[];
  texts(record: XmlElement): readonly (string | undefined)[];
}

export async function* readOfficialXml(list: OfficialXml, path: string): AsyncGenerator<Listing | UnusableListing, void, void> {
  for await (const record of readXml(path, list)) {
    const { entity, texts, from, programmes } = {
      entity: list.entity(record),
      texts: list.texts(record),
      from: list.from(record),
      programmes: list.programmes(record),
    };
    yield* listingsIn(texts, { entity, from, programmes });
  }
}

interface Entry {
  readonly entity: string;
  readonly from: string | undefined;
  readonly programmes: readonly (string | undefined)[];
}

/** An entity may repeat an address; it is listed once. */
export function* listingsIn(
  texts: readonly (string | undefined)[],
  { entity, from, programmes }: Entry,
): Generator<Listing | UnusableListing, void, void> {
  const found = texts.flatMap((text) => (text === undefined ? [] : addressesIn(text)));
  const once = new Map(found.map((each) => [`${each.asset ?? ''} ${each.address}`, each]));
  const named = { entity: entity === '' ? 'Entity not given' : entity, programmes: programmes.filter((name) => name !== undefined) };
  for (const { address, asset } of once.values()) {
    try {
      yield { address, asset, ...named, from: from === undefined ? null : instant(from, 'date of designation') };
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      yield { unusable: error.message, text: JSON.stringify({ address, asset, ...named, from }) };
    }
  }
}

const joined = (parts: readonly (string | undefined)[]): string => parts.filter((part) => part !== undefined && part !== '').join(' ');
const numbered = (record: XmlElement | undefined, prefix: string, count: number): string =>
  joined(Array.from({ length: count }, (_, n) => textOf(record, `${prefix}${n + 1}`)));

/** The EU's consolidated list, "FSF" 1.1. */
export const euList: OfficialXml = {
  origin: { source: 'EU FSF', source_kind: 'authority', authority: 'EU', confidence: 1 },
  root: 'export',
  records: ['sanctionEntity'],
  entity: (record) => {
    const aliases = record.children.filter(({ name }) => name === 'nameAlias');
    return (aliases.find(({ attributes }) => attributes['strong'] === 'true') ?? aliases[0])?.attributes['wholeName'] ?? '';
  },
  from: ({ attributes }) => attributes['designationDate'],
  programmes: (record) => [...new Set([...within(record, 'regulation')].map(({ attributes }) => attributes['programme']))],
  texts: (record) => [
    record.attributes['designationDetails'],
    ...[...within(record, 'remark')].map(({ text }) => text),
    ...[...within(record, 'identification')].map(({ attributes }) =>
      joined([attributes['identificationTypeDescription'], attributes['number'], attributes['latinNumber']]),
    ),
  ],
};

/** The UN Security Council's consolidated list. */
export const unList: OfficialXml = {
  origin: { source: 'UN Security Council', source_kind: 'authority', authority: 'UN', confidence: 1 },
  root: 'CONSOLIDATED_LIST',
  records: ['INDIVIDUAL', 'ENTITY'],
  entity: (record) => joined(['FIRST_NAME', 'SECOND_NAME', 'THIRD_NAME', 'FOURTH_NAME'].map((name) => textOf(record, name))),
  from: (record) => textOf(record, 'LISTED_ON'),
  programmes: (record) => [textOf(record, 'UN_LIST_TYPE')],
  texts: (record) => [
    textOf(record, 'COMMENTS1'),
    ...['NOTE', 'NUMBER'].flatMap((name) => [...within(record, name)].map(({ text }) => text)),
  ],
};

/** The UK Sanctions List of the FCDO. */
export const ukList: OfficialXml = {
  origin: { source: 'UK Sanctions List', source_kind: 'authority', authority: 'UK', confidence: 1 },
  root: 'Designations',
  records: ['Designation'],
  entity: (record) => {
    const names = [...within(record, 'Name')];
    return numbered(names.find((name) => isPrimary(textOf(name, 'NameType'))) ?? names[0], 'Name', 6);
  },
  from: (record) => isoOf(textOf(record, 'DateDesignated')),
  programmes: (record) => [textOf(record, 'RegimeName')],
  texts: (record) => [textOf(record, 'OtherInformation')],
};

/** Of the many names of an entity. */
export function isPrimary(type: string | undefined): boolean {
  return type?.toLowerCase() === 'primary name';
}

/** The UK writes `25/01/2001`. */
export function isoOf(date: string | undefined): string | undefined {
  return date?.replace(/^(\d{2})\/(\d{2})\/(\d{4})$/, '$3-$2-$1');
}
