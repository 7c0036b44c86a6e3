import type { Chain } from '@weir/chains';
import type { LabelFormat, ListFormat, SourceKind, TransferFormat } from '@weir/chain-import';
import { type Command, InvalidArgumentError, Option } from 'commander';
import { jsonOption, type PlaceFlags, withDataDir } from '../flags.ts';

/** Flags of both kinds of import. */
export interface ImportFlags extends PlaceFlags {
  readonly columns?: ReadonlyMap<string, string>;
  readonly source?: string;
  readonly rejected?: string;
  readonly json?: true;
}

/** Written out, because help must not load the packages. */
const evmNames = [
  'ethereum',
  'bsc',
  'polygon',
  'arbitrum',
  'optimism',
  'base',
  'avalanche',
  'ethereum-classic',
  'zksync',
  'linea',
  'scroll',
  'mantle',
  'opbnb',
  'sonic',
  'merlin',
  'hashkey',
  'iotex',
] as const satisfies readonly Chain[];
export const chainNames = [
  ...evmNames,
  'tron',
  'bitcoin',
  'litecoin',
  'dogecoin',
  'bitcoin-cash',
  'solana',
  'ripple',
  'stellar',
  'ton',
  'polkadot',
  'cardano',
  'cosmos',
  'near',
  'aptos',
  'sui',
] as const satisfies readonly Chain[];

/** Written out for the same reason. */
const listFormatNames = [
  'ofac-advanced',
  'ofac-xml',
  'ofac-csv',
  '0xb10c',
  'eu',
  'uk',
  'un',
  'opensanctions',
] as const satisfies readonly ListFormat[];

export const labelFormatNames = ['csv', 'ofac', ...listFormatNames, 'tagpack', 'graphsense-csv'] as const satisfies readonly LabelFormat[];

export const sourceKindNames = ['authority', 'owner', 'curated', 'crawl'] as const satisfies readonly SourceKind[];

export const transferFormatNames = [
  'csv',
  'ethereum-etl',
  'bitcoin-etl',
  'tron-etl',
  'etherscan',
  'parquet',
] as const satisfies readonly TransferFormat[];

export function withImportFlags(command: Command): Command {
  return withDataDir(
    command
      .addOption(
        new Option('--columns <pairs>', "csv: our columns by the file's names, as address=addr,name=label; may be repeated").argParser(
          pairs,
        ),
      )
      .option('--source <name>', 'where the facts come from, for rows that do not say it')
      .option('--rejected <file>', 'where rows go that cannot be used (default: <file name>.rejected.jsonl)')
      .addOption(jsonOption()),
  );
}

/** For commander: `a=b,c=d`, collected over repeats. */
export function pairs(text: string, before?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return gatherPairs(text, 'address=addr,name=label', before);
}

/** For commander: the same, of categories. */
export function categoryPairs(text: string, before?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return gatherPairs(text, 'hacker=theft,shop=service', before);
}

/** For commander: the same, by list. */
export function listPairs(text: string, before?: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return gatherPairs(text, 'ofac-sdn=SDN_ADVANCED.XML', before);
}

function gatherPairs(text: string, example: string, before: ReadonlyMap<string, string> = new Map()): ReadonlyMap<string, string> {
  const all = new Map(before);
  for (const pair of text.split(',')) {
    const [name = '', ...rest] = pair.split('=');
    const value = rest.join('=').trim();
    if (name.trim() === '' || value === '') throw new InvalidArgumentError(`It must be like ${example}.`);
    all.set(name.trim(), value);
  }
  return all;
}

/** For commander: a list of values, collected over repeats. */
export function gather(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, text];
}

/** For commander: a number from 0 to 1. */
export function fraction(text: string): number {
  const value = /^(0(\.\d+)?|1(\.0+)?)$/.test(text) ? Number(text) : Number.NaN;
  if (Number.isNaN(value)) throw new InvalidArgumentError('It must be a number from 0 to 1.');
  return value;
}

/** For commander: chains, separated by commas. */
export function evmChains(text: string): readonly Chain[] {
  if (text === 'all') return evmNames;
  return text.split(',').map((name) => {
    const chain = evmNames.find((each) => each === name.trim());
    if (chain === undefined) throw new InvalidArgumentError(`It must be all, or some of ${evmNames.join(',')}.`);
    return chain;
  });
}
