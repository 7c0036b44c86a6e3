import { createSortedRowModel, rowSortingFeature, sortFn_alphanumeric, sortFn_text, tableFeatures, useTable } from '@tanstack/react-table';
import { type ReactNode, useMemo } from 'react';
import { Button } from 'react-aria-components';

interface SmallColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Set to the right. */
  readonly isNumber?: boolean;
  /** By what the reader may sort the rows; undefined comes last. Without it the column cannot be sorted. */
  readonly sort?: (row: Row) => string | number | undefined;
}

interface SmallTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly SmallColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Stands in place of a table without rows. */
  readonly none?: string;
}

const features = tableFeatures({
  rowSortingFeature,
  sortedRowModel: createSortedRowModel(),
  sortFns: { alphanumeric: sortFn_alphanumeric, text: sortFn_text },
});

/** Some dozens of rows at most, in their own order until the reader sorts them; the first cell names its row. Long lists have `Table`. */
export function SmallTable<Row>({ label, rows, columns, keyOf, none }: SmallTableProps<Row>) {
  const names = columns.map(({ name }) => name).join('\n');
  const sorted = useMemo(
    () =>
      columns.map(({ name, sort }) => ({
        id: name,
        accessorFn: ({ row }: { readonly row: Row }) => sort?.(row),
        enableSorting: sort !== undefined,
        sortUndefined: 'last' as const,
      })),
    // Columns of the same names sort by the same of a row.
    [names],
  );
  // A row may be a text, which the library does not take.
  const data = useMemo(() => rows.map((row) => ({ row })), [rows]);
  const table = useTable({ features, columns: sorted, data, getRowId: ({ row }) => keyOf(row) });
  if (rows.length === 0 && none !== undefined) return <p className="muted">{none}</p>;
  return (
    <div className="small-table" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, sort, isNumber = false }) => {
              const own = table.getColumn(name);
              const order = own?.getIsSorted() ?? false;
              return (
                <th
                  scope="col"
                  key={name}
                  className={isNumber ? 'right' : ''}
                  {...(order !== false && { 'aria-sort': order === 'asc' ? 'ascending' : 'descending' })}
                >
                  {sort === undefined ? (
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
          {table.getRowModel().rows.map(({ id, original: { row } }) => (
            <tr key={id}>
              {columns.map(({ name, cell, isNumber = false }, index) =>
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
  );
}
