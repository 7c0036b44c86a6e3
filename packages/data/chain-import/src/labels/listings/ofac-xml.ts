import { readXml, textOf, within, type XmlElement } from '../../source/xml.ts';
import { digitalCurrency, partyListings } from './ofac-party.ts';
import type { Listing } from './listing.ts';

/** Addresses of SDN.XML or CONSOLIDATED.XML, which have no dates of designation. */
export async function* readOfacXml(path: string): AsyncGenerator<Listing, void, void> {
  for await (const entry of readXml(path, { root: 'sdnList', records: ['sdnEntry'] })) {
    const addresses = [...within(entry, 'id')].flatMap((id) => {
      const asset = digitalCurrency(textOf(id, 'idType') ?? '');
      const address = textOf(id, 'idNumber');
      return asset === undefined || address === undefined ? [] : [{ asset, address }];
    });
    const programmes = [...within(entry, 'program')].map(({ text }) => text);
    yield* partyListings({ uid: textOf(entry, 'uid') ?? '', entity: entityOf(entry), addresses, from: null, programmes });
  }
}

function entityOf(entry: XmlElement): string {
  return [textOf(entry, 'lastName'), textOf(entry, 'firstName')].filter((part) => part !== undefined).join(', ');
}
