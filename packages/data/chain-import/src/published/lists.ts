import type { ListFileOptions, ListFormat } from '../labels/listings/read-list.ts';

/** A sanctions list with an address of its own. */
export interface PublishedList {
  readonly name: string;
  readonly format: ListFormat;
  /** The publisher's address. */
  readonly url: string;
  readonly options: ListFileOptions;
  /** False: the list has no field for addresses and may have none. */
  readonly hasAddresses: boolean;
}

const ofac = 'https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports';
const plain = 'https://raw.githubusercontent.com/0xB10C/ofac-sanctioned-digital-currency-addresses/lists';

const official: readonly PublishedList[] = [
  { name: 'ofac-sdn', format: 'ofac-advanced', url: `${ofac}/SDN_ADVANCED.XML`, options: {}, hasAddresses: true },
  {
    name: 'ofac-consolidated',
    format: 'ofac-advanced',
    url: `${ofac}/CONS_ADVANCED.XML`,
    options: { source: 'US OFAC Consolidated' },
    hasAddresses: false,
  },
  {
    name: 'eu',
    format: 'eu',
    // The token is public and the same for everybody.
    url: 'https://webgate.ec.europa.eu/fsd/fsf/public/files/xmlFullSanctionsList_1_1/content?token=dG9rZW4tMjAxNw',
    options: {},
    hasAddresses: false,
  },
  { name: 'uk', format: 'uk', url: 'https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.xml', options: {}, hasAddresses: false },
  { name: 'un', format: 'un', url: 'https://scsanctions.un.org/resources/xml/en/consolidated.xml', options: {}, hasAddresses: false },
  {
    name: 'opensanctions',
    format: 'opensanctions',
    url: 'https://data.opensanctions.org/datasets/latest/sanctions/entities.ftm.json',
    options: {},
    hasAddresses: true,
  },
];

const copied = ['XBT', 'ETH', 'USDT', 'USDC', 'TRX', 'ARB', 'BSC'].map(
  (asset): PublishedList => ({
    name: `0xb10c-${asset.toLowerCase()}`,
    format: '0xb10c',
    url: `${plain}/sanctioned_addresses_${asset}.txt`,
    options: { asset },
    hasAddresses: true,
  }),
);

/** The lists that `weir labels sync` knows. */
export const publishedLists: readonly PublishedList[] = [...official, ...copied];
