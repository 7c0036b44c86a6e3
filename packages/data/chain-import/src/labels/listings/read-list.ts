import { basename } from 'node:path';
import type { LabelRow, Reader } from '../../rows.ts';
import { startOf } from '../../source/bytes.ts';
import { type Listing, type ListOptions, type ListOrigin, readListings, type UnusableListing } from './listing.ts';
import { readOfacAdvanced } from './ofac-advanced.ts';
import { readOfacCsv } from './ofac-csv.ts';
import { ofacList } from './ofac-party.ts';
import { readOfacXml } from './ofac-xml.ts';
import { euList, readOfficialXml, ukList, unList } from './official-xml.ts';
import { openSanctionsList, readOpenSanctions } from './open-sanctions.ts';
import { assetOfFile, plainList, readPlainAddresses } from './plain-addresses.ts';
import { readUkCsv } from './uk-csv.ts';

export const listFormats = ['ofac-advanced', 'ofac-xml', 'ofac-csv', '0xb10c', 'eu', 'uk', 'un', 'opensanctions'] as const;
export type ListFormat = (typeof listFormats)[number];

export function isListFormat(format: string): format is ListFormat {
  return (listFormats as readonly string[]).includes(format);
}

export interface ListFileOptions extends ListOptions {
  /** 0xb10c: the code of the coin. Default: the one in the file's name. */
  readonly asset?: string | undefined;
  /** ofac-csv: the path of the file in which long remarks continue. */
  readonly comments?: string | undefined;
}

/** Addresses of a published sanctions list. All are labels `sanctioned`. Throws when a list of 0xB10C has no coin. */
export function readSanctionsList(path: string, format: ListFormat, options: ListFileOptions): Reader<LabelRow> {
  const listed = (origin: ListOrigin, read: () => AsyncIterable<Listing | UnusableListing>): Reader<LabelRow> =>
    readListings(read, origin, options);
  switch (format) {
    case 'ofac-advanced':
      return listed(ofacList, () => readOfacAdvanced(path));
    case 'ofac-xml':
      return listed(ofacList, () => readOfacXml(path));
    case 'ofac-csv':
      return listed(ofacList, () => readOfacCsv(path, options.comments));
    case '0xb10c': {
      const asset = assetOf(path, options.asset);
      return listed(plainList(asset), () => readPlainAddresses(path, asset));
    }
    case 'eu':
      return listed(euList.origin, () => readOfficialXml(euList, path));
    case 'uk':
      return listed(ukList.origin, () => readUk(path));
    case 'un':
      return listed(unList.origin, () => readOfficialXml(unList, path));
    case 'opensanctions':
      return listed(openSanctionsList, () => readOpenSanctions(path));
  }
}

async function* readUk(path: string): AsyncGenerator<Listing | UnusableListing, void, void> {
  const isXml = (await startOf(path)).startsWith('<');
  yield* isXml ? readOfficialXml(ukList, path) : readUkCsv(path);
}

function assetOf(path: string, given: string | undefined): string {
  const asset = given ?? assetOfFile(basename(path));
  if (asset === undefined) throw new Error(`${basename(path)} does not say its coin: name it with --asset, as XBT`);
  return asset;
}
