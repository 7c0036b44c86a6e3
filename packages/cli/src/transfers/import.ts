import { basename } from 'node:path';
import { type Chain, hasInputs } from '@weir/chains';
import {
  mapRows,
  type PriceFile,
  priced,
  type Prices,
  readBlockTimes,
  readFailures,
  readPrices,
  readTransactionIds,
  readTransferFile,
  transferColumns,
  type TransferFileOptions,
  type TransferFormat,
  type TransferRow,
} from '@weir/chain-import';
import { UsageError } from '../failure.ts';
import { asked, checkFiles, checkNames, given } from '../import/check-flags.ts';
import { importEach, rejectedFileOf } from '../import/import-each.ts';
import { hashOf, importKey } from '../import/import-key.ts';
import { blocksSource, checkNode, type NodeFlags } from './from-node.ts';
import type { Source } from '../import/run.ts';

export interface TransferFlags extends NodeFlags {
  readonly format: TransferFormat | 'rpc';
  readonly chain?: Chain;
  readonly table?: string;
  readonly coin?: string;
  readonly prices?: readonly string[];
  readonly priceCoin?: string;
  readonly blocks?: readonly string[];
  readonly transactions?: readonly string[];
  readonly receipts?: readonly string[];
}

/** Further inputs of an import of transfers, and their identity. */
interface Companions {
  readonly prices: Prices;
  readonly options: Pick<TransferFileOptions, 'blockTime' | 'txidAt' | 'failed'>;
  readonly key: Readonly<Record<string, unknown>>;
}

export async function importTransfers(files: readonly string[], flags: TransferFlags): Promise<void> {
  checkFlags(files, flags);
  const { format } = flags;
  const priceFiles = priceFilesOf(flags);
  checkFiles([...files, ...priceFiles.map(({ path }) => path), ...companionsOf(flags)], flags);
  const options = {
    source: flags.source ?? format,
    ...given({ chain: chainOf(flags), table: flags.table, coin: flags.coin, columns: flags.columns }),
  };
  // Once before anything is opened, so that a wrong combination of format and flags fails at once.
  if (format !== 'rpc') asked(() => readTransferFile('', format, options));
  await importEach(flags, 'transfers', async function* sources(signal): AsyncGenerator<Source<TransferRow>> {
    const companions = await readCompanions(flags, priceFiles);
    if (format === 'rpc') {
      const source = await blocksSource(flags, options.source, signal);
      return yield withCompanions(source, companions);
    }
    for (const file of files) {
      const identity = { kind: 'transfers', format, content: await hashOf(file), ...options, ...signersKey(flags) };
      yield withCompanions(
        {
          identity,
          name: basename(file),
          rejectedFile: rejectedFileOf(file, flags),
          read: readTransferFile(file, format, { ...options, ...companions.options }),
        },
        companions,
      );
    }
  });
}

/** Versions before read no signers of the same file, so it is another import. */
function signersKey(flags: TransferFlags): { readonly signers?: true } {
  const chain = chainOf(flags);
  return flags.format !== 'csv' && chain !== undefined && hasInputs(chain) ? { signers: true } : {};
}

/** A source with its identity, before prices are applied. */
export interface Unpriced extends Omit<Source<TransferRow>, 'key'> {
  readonly identity: Readonly<Record<string, unknown>>;
}

function withCompanions({ identity, read, ...rest }: Unpriced, { prices, key }: Companions): Source<TransferRow> {
  return {
    ...rest,
    key: importKey({ ...identity, ...key }),
    read: prices.newest === undefined ? read : mapRows(read, (row) => priced(row, prices)),
  };
}

function companionsOf({ blocks = [], transactions = [], receipts = [] }: TransferFlags): string[] {
  return [...blocks, ...transactions, ...receipts];
}

async function readCompanions({ blocks, transactions, receipts }: TransferFlags, priceFiles: readonly PriceFile[]): Promise<Companions> {
  const hashes = (paths: readonly string[]): Promise<string[]> => Promise.all(paths.map(hashOf));
  const priceKeys = priceFiles.map(async ({ path, coin }) => [coin ?? null, await hashOf(path)]);
  return {
    prices: await readPrices(priceFiles),
    options: {
      ...(blocks === undefined ? {} : { blockTime: await readBlockTimes(blocks) }),
      ...(transactions === undefined ? {} : { txidAt: await readTransactionIds(transactions) }),
      ...(receipts === undefined ? {} : { failed: await readFailures(receipts) }),
    },
    key: {
      prices: await Promise.all(priceKeys),
      blocks: await hashes(blocks ?? []),
      transactions: await hashes(transactions ?? []),
      receipts: await hashes(receipts ?? []),
    },
  };
}

function checkFlags(files: readonly string[], flags: TransferFlags): void {
  const { format, url, fromBlock, toBlock, unfinal, traces, columns, coin } = flags;
  const ofNode = [url, fromBlock, toBlock, unfinal].some((flag) => flag !== undefined) || traces === false;
  if (format === 'rpc') {
    if (files.length > 0) throw new UsageError('--format rpc reads a node, not files');
    checkNode(flags);
    if (flags.table !== undefined || companionsOf(flags).length > 0)
      throw new UsageError('--table, --blocks, --transactions and --receipts are for files');
  } else if (ofNode) throw new UsageError('--url, --from-block, --to-block, --unfinal and --no-traces are for --format rpc');
  else if (files.length === 0) throw new UsageError('give the files');
  if (format !== 'csv' && (columns !== undefined || coin !== undefined)) throw new UsageError('--columns and --coin are for --format csv');
  if (format !== 'csv' && chainOf(flags) === undefined) throw new UsageError(`--format ${format} needs --chain`);
  checkNames(columns, transferColumns);
}

function chainOf({ chain, format }: TransferFlags): Chain | undefined {
  if (chain !== undefined) return chain;
  return format === 'bitcoin-etl' ? 'bitcoin' : format === 'tron-etl' ? 'tron' : undefined;
}

/** `COIN=FILE`, or a file that names its coin. */
function priceFilesOf({ prices = [], priceCoin }: TransferFlags): PriceFile[] {
  return prices.map((text) => {
    const [, coin, path] = /^([A-Za-z0-9-]{1,64})=(.+)$/.exec(text) ?? [];
    if (coin !== undefined && path !== undefined) return { path, coin };
    return { path: text, ...given({ coin: priceCoin }) };
  });
}
