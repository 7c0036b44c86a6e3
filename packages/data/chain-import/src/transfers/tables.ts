import type { LeftOut, TransferRow } from '../rows.ts';
import type { Fields, Format } from '../source/records.ts';

/** One of the tables that an exporter writes: how its records are known, and what they give. */
export interface Table {
  readonly is: (has: (column: string) => boolean) => boolean;
  readonly map: (fields: Fields) => readonly TransferRow[] | LeftOut;
}

/**
 * Records of one of several tables; of the named one, or each by its columns. A stream may mix them: what is none of the tables is no transfer there, while
 * a file whose header is none of them is the wrong file.
 */
export function tablesFormat(tables: Readonly<Record<string, Table>>, named: string | undefined): Format<TransferRow> {
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
