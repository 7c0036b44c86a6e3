import { createSortedRowModel, rowSortingFeature, sortFn_alphanumeric, sortFn_text, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { Button } from 'react-aria-components';
import { FileButton, type FileColumn } from './file-button.tsx';

/** A column with a value can be sorted by it, and is part of the file. Null comes last. */
export interface SmallColumn<Row> extends FileColumn<Row> {
  /** Without it the column is in the file alone. */
  readonly cell?: (row: Row) => ReactNode;
  /** Set to the right, and sorted as a number. */
  readonly isNumber?: boolean;
}

interface SmallTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly SmallColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Stands in place of a table without rows. */
  readonly none?: string;
  /** The table can be exported under this name. */
  readonly file?: string;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, text: sortFn_text },
});

/** Some dozens of rows at most, in their own order until the reader sorts them; the first cell names its row. Long lists have `Table`. */
export function SmallTable<Row>({ label, rows, columns, keyOf, none, file }: SmallTableProps<Row>) {
  const shown = columns.flatMap(({ cell, ...column }) => (cell === undefined ? [] : [{ ...column, cell }]));
  const names = columns.map(({ name }) => name).join('\n');
  const sorted = useMemo(
    () =>
      columns.map(({ name, value, isNumber = false }) => ({
        id: name,
        accessorFn: ({ row }: { readonly row: Row }) => {
          const own = value?.(row) ?? undefined;
          return isNumber && own !== undefined ? Number(own) : own;
        },
        enableSorting: value !== undefined,
        sortUndefined: 'last' as const,
      })),
    // Columns of the same names sort by the same of a row.
    [names],
  );
  // A row may be a text, which the library does not take.
  const data = useMemo(() => rows.map((row) => ({ row })), [rows]);
  const table = useTable({ features, columns: sorted, data, getRowId: ({ row }) => keyOf(row) });
  if (rows.length === 0 && none !== undefined) return <p className="muted">{none}</p>;
  const ordered = table.getRowModel().rows;
  return (
    <>
      <div className="small-table" role="group" aria-label={label} tabIndex={0}>
        <table>
          <thead>
            <tr>
              {shown.map(({ name, value, isNumber = false }) => {
                const own = table.getColumn(name);
                const order = own?.getIsSorted() ?? false;
                return (
                  <th
                    scope="col"
                    key={name}
                    className={isNumber ? 'right' : ''}
                    {...(order !== false && { 'aria-sort': order === 'asc' ? 'ascending' : 'descending' })}
                  >
                    {value === undefined ? (
                      name
                    ) : (
                      <Button className="sort" onPress={() => own?.toggleSorting()}>
                        {name} <span aria-hidden="true">{order === false ? '↕' : order === 'asc' ? '↑' : '↓'}</span>
                      </Button>
                    )}
                  </th>
                );
              })}
            </tr>
          </thead>
          <tbody>
            {ordered.map(({ id, original: { row } }) => (
              <tr key={id}>
                {shown.map(({ name, cell, isNumber = false }, index) =>
                  index === 0 ? (
                    <th scope="row" key={name}>
                      {cell(row)}
                    </th>
                  ) : (
                    <td key={name} className={isNumber ? 'number right' : ''}>
                      {cell(row)}
                    </td>
                  ),
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {file !== undefined && <FileButton file={file} label={label} columns={columns} rows={ordered.map(({ original: { row } }) => row)} />}
    </>
  );
}
