import { readXml, textOf, within, type XmlElement } from '../../source/xml.ts';
import { digitalCurrency, type OfacParty, partyListings } from './ofac-party.ts';
import type { Listing } from './listing.ts';

const kind = {
  root: 'Sanctions',
  records: ['FeatureType', 'AliasType', 'SanctionsType', 'NamePartType', 'DistinctParty', 'SanctionsEntry'],
};

interface Designation {
  readonly dates: string[];
  readonly programmes: string[];
}

/**
 * Addresses of SDN_ADVANCED.XML or CONS_ADVANCED.XML. The designations follow the parties, so parties with addresses are kept until the end:
 * some hundreds of twenty thousand.
 */
export async function* readOfacAdvanced(path: string): AsyncGenerator<Listing, void, void> {
  const names = new Map<string, string>();
  const parties: OfacParty[] = [];
  const designations = new Map<string, Designation>();
  for await (const element of readXml(path, kind)) {
    if (element.name === 'DistinctParty') keepParty(parties, element, names);
    else if (element.name === 'SanctionsEntry') addDesignation(designations, element, names);
    else names.set(keyOf(element.name, element.attributes['ID']), element.text);
  }
  for (const party of parties) yield* partyListings({ ...party, ...designationOf(designations.get(party.uid)) });
}

const keyOf = (type: string, id: string | undefined): string => `${type} ${id ?? ''}`;

function keepParty(parties: OfacParty[], party: XmlElement, names: ReadonlyMap<string, string>): void {
  const addresses = [...within(party, 'Feature')].flatMap((feature) => {
    const asset = digitalCurrency(names.get(keyOf('FeatureType', feature.attributes['FeatureTypeID'])) ?? '');
    if (asset === undefined) return [];
    return [...within(feature, 'VersionDetail')].filter(({ text }) => text !== '').map(({ text }) => ({ asset, address: text }));
  });
  if (addresses.length === 0) return;
  const [profile] = within(party, 'Profile');
  const uid = profile?.attributes['ID'] ?? party.attributes['FixedRef'] ?? '';
  parties.push({ uid, entity: primaryName(party, names), addresses, from: null, programmes: [] });
}

/** The primary alias of type Name, surname first as in OFAC's other files: `LAST NAME, First`. */
function primaryName(party: XmlElement, names: ReadonlyMap<string, string>): string {
  const aliases = [...within(party, 'Alias')];
  const alias =
    aliases.find(({ attributes }) => attributes['Primary'] === 'true') ??
    aliases.find(({ attributes }) => names.get(keyOf('AliasType', attributes['AliasTypeID'])) === 'Name') ??
    aliases[0];
  const types = new Map(
    [...within(party, 'NamePartGroup')].map(({ attributes }) => [
      attributes['ID'],
      names.get(keyOf('NamePartType', attributes['NamePartTypeID'])),
    ]),
  );
  const [documented] = alias === undefined ? [] : within(alias, 'DocumentedName');
  const parts = documented === undefined ? [] : [...within(documented, 'NamePartValue')];
  const last = parts.filter(({ attributes }) => types.get(attributes['NamePartGroupID']) === 'Last Name').map(({ text }) => text);
  const others = parts.filter(({ attributes }) => types.get(attributes['NamePartGroupID']) !== 'Last Name').map(({ text }) => text);
  return [last.join(' '), others.join(' ')].filter((text) => text !== '').join(', ');
}

function addDesignation(designations: Map<string, Designation>, entry: XmlElement, names: ReadonlyMap<string, string>): void {
  const profile = entry.attributes['ProfileID'] ?? '';
  const known = designations.get(profile) ?? { dates: [], programmes: [] };
  designations.set(profile, known);
  for (const event of entry.children.filter(({ name }) => name === 'EntryEvent')) {
    const date = dateOf(event.children.find(({ name }) => name === 'Date'));
    if (date !== undefined) known.dates.push(date);
  }
  for (const measure of entry.children.filter(({ name }) => name === 'SanctionsMeasure')) {
    const programme = textOf(measure, 'Comment');
    const isProgramme = names.get(keyOf('SanctionsType', measure.attributes['SanctionsTypeID'])) === 'Program';
    if (isProgramme && programme !== undefined) known.programmes.push(programme);
  }
}

function dateOf(date: XmlElement | undefined): string | undefined {
  const [year, month, day] = [textOf(date, 'Year'), textOf(date, 'Month'), textOf(date, 'Day')];
  if (year === undefined || month === undefined || day === undefined) return undefined;
  return `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T00:00:00.000Z`;
}

function designationOf(designation: Designation | undefined): Pick<OfacParty, 'from' | 'programmes'> {
  const [first = null] = designation?.dates.toSorted() ?? [];
  return { from: first, programmes: designation?.programmes ?? [] };
}
