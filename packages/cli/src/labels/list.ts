import { labelColumns, type SourceKind } from '@weir/chain-import';
import { chainStoreMigrations, chainStoreModule } from '@weir/chain-store';
import { type Chain, displayAddress } from '@weir/chains';
import { migrate, type Pool } from '@weir/postgres';
import { csvLine } from '../csv.ts';
import { UsageError } from '../failure.ts';
import type { PlaceFlags } from '../flags.ts';
import { withInstallation } from '../installation.ts';
import { formsOf } from './addresses.ts';
import { note, plain, print, printJson, table } from '../output.ts';

interface ListFlags extends PlaceFlags {
  readonly address?: string;
  readonly source?: string;
  readonly limit: number;
  readonly format: 'table' | 'json' | 'csv';
  readonly keepFormulas?: true;
}

/** Columns of the import format. Times are RFC 3339; null is unbounded. */
interface StoredLabel {
  readonly chain: Chain;
  readonly address: string;
  readonly name: string;
  readonly category: string;
  readonly valid_from: Date | null;
  readonly valid_to: Date | null;
  readonly confidence: number;
  readonly source: string;
  readonly source_kind: SourceKind;
  readonly authority: string | null;
  readonly [column: string]: unknown;
}

export async function listLabels(flags: ListFlags): Promise<void> {
  const addresses = flags.address === undefined ? undefined : formsOf(flags.address);
  if (flags.keepFormulas && flags.format !== 'csv') throw new UsageError('--keep-formulas goes with --format csv');
  await withInstallation(flags, async ({ pool }) => {
    await migrate(pool, chainStoreModule, chainStoreMigrations);
    const found = await find(pool, addresses, flags.source, flags.limit + 1);
    const shown = found.slice(0, flags.limit);
    if (flags.format === 'json') await printJson(shown);
    else await print(flags.format === 'csv' ? toCsv(shown, flags.keepFormulas === true) : toTable(shown));
    if (found.length > flags.limit) note(`There are more; --limit ${flags.limit} ends here.`);
  });
}

async function find(
  pool: Pool,
  addresses: readonly string[] | undefined,
  source: string | undefined,
  limit: number,
): Promise<StoredLabel[]> {
  const { rows } = await pool.query<StoredLabel>(
    `SELECT chain, address, name, category, valid_from, valid_to, confidence::float8, source, source_kind, authority FROM chain.labels
     WHERE ($1::text[] IS NULL OR address = ANY($1)) AND ($2::text IS NULL OR source = $2)
     ORDER BY chain, address, category, name, source LIMIT $3`,
    [addresses ?? null, source ?? null, limit],
  );
  return rows;
}

function toTable(labels: readonly StoredLabel[]): string {
  const day = (at: Date | null): string => at?.toISOString().slice(0, 10) ?? '';
  const rows = labels.map((label) => [
    label.chain,
    displayAddress(label.chain, label.address),
    plain(label.category),
    plain(label.name),
    day(label.valid_from),
    day(label.valid_to),
    String(label.confidence),
    plain(label.source_kind),
    plain(label.source),
  ]);
  return table(['CHAIN', 'ADDRESS', 'CATEGORY', 'NAME', 'FROM', 'TO', 'CONFIDENCE', 'KIND', 'SOURCE'], rows);
}

/** RFC 4180, in the format of `weir labels import --format csv`. */
function toCsv(labels: readonly StoredLabel[], keepFormulas: boolean): string {
  // A file keeps every character; a terminal would execute control characters.
  const shown = process.stdout.isTTY ? plain : (text: string): string => text;
  const line = (cells: readonly string[]): string => csvLine(cells.map(shown), { keepFormulas });
  return [labelColumns, ...labels.map((label) => labelColumns.map((column) => cellOf(label[column])))].map(line).join('');
}

function cellOf(value: string | number | Date | null): string {
  if (value === null) return '';
  return value instanceof Date ? value.toISOString() : String(value);
}
