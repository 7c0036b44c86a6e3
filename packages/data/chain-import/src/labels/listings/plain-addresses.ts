import { basename } from 'node:path';
import { readBytes, readWhole } from '../../source/bytes.ts';
import { isBlank, readLines } from '../../source/lines.ts';
import type { Listing, ListOrigin, UnusableListing } from './listing.ts';

/** A copy, which anybody may have changed. Each coin is a list of its own. */
export function plainList(asset: string): ListOrigin {
  return { source: `0xB10C ${asset}, from OFAC SDN`, source_kind: 'curated', authority: 'OFAC', confidence: 0.9 };
}

const largestList = 16 << 20;

/** The coin in a name such as `sanctioned_addresses_XBT.txt`; undefined in others. */
export function assetOfFile(name: string): string | undefined {
  return /sanctioned_addresses_([A-Za-z0-9]{2,12})\.(?:txt|json)(?:\.gz)?$/.exec(name)?.[1];
}

/** The lists of 0xB10C: one address per line, or a JSON array of addresses. The file's name alone says the coin. */
export async function* readPlainAddresses(path: string, asset: string): AsyncGenerator<Listing | UnusableListing, void, void> {
  const listed = { asset, entity: 'Listed by OFAC', from: null, programmes: [] };
  for await (const address of addressesOf(path)) {
    if (/^[A-Za-z0-9]{20,130}$/.test(address)) yield { ...listed, address };
    else yield { unusable: 'is no address', text: address };
  }
}

async function* addressesOf(path: string): AsyncGenerator<string, void, void> {
  const text = await readWhole(path, largestList);
  if (text.trimStart().startsWith('[')) return yield* arrayOf(text, basename(path));
  for await (const line of readLines(readBytes(path))) if (!isBlank(line)) yield line.text.trim();
}

function arrayOf(text: string, name: string): readonly string[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`${name} is not JSON, or is cut off`, { cause: error });
  }
  return (parsed as unknown[]).map((item) => (typeof item === 'string' ? item : JSON.stringify(item)));
}
