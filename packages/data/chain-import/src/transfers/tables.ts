import type { TransferRow } from '../rows.ts';
import type { FileKind, MapRecord } from '../source/records.ts';

/** One of an exporter's tables: how to recognise its records, and their rows. */
export interface Table {
  readonly is: (has: (column: string) => boolean) => boolean;
  readonly map: MapRecord<TransferRow>;
}

/**
 * Maps the named table, or detects it per record. Streams mix tables, so an unknown record is no transfer; an unknown header is an error.
 */
export function tablesFormat(
  tables: Readonly<Record<string, Table>>,
  named: string | undefined,
): FileKind & { readonly map: MapRecord<TransferRow> } {
  const names = Object.keys(tables);
  const fixed = named === undefined ? undefined : tables[named];
  if (named !== undefined && fixed === undefined) throw new Error(`there is no table ${named}; there are ${names.join(', ')}`);
  const find = (has: (column: string) => boolean): Table | undefined => fixed ?? Object.values(tables).find((table) => table.is(has));
  return {
    checkHeader: (columns) => {
      const table = Object.values(tables).find(({ is }) => is((column) => columns.includes(column)));
      if (table !== undefined && (fixed === undefined || table === fixed)) return;
      throw new Error(`the columns ${columns.join(', ').slice(0, 300)} are not those of ${named ?? names.join(', nor of ')}`);
    },
    map: (fields) => find((column) => Object.hasOwn(fields, column))?.map(fields) ?? 'no transfer',
  };
}
