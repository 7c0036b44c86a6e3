import type { ReactNode } from 'react';

interface SmallColumn<Row> {
  readonly name: string;
  readonly cell: (row: Row) => ReactNode;
  /** Set to the right. */
  readonly isNumber?: boolean;
}

interface SmallTableProps<Row> {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly columns: readonly SmallColumn<Row>[];
  readonly keyOf: (row: Row) => string;
  /** Stands in place of a table without rows. */
  readonly none?: string;
}

/** Some dozens of rows at most; the first cell names its row. Long lists have `Table`. */
export function SmallTable<Row>({ label, rows, columns, keyOf, none }: SmallTableProps<Row>) {
  if (rows.length === 0 && none !== undefined) return <p className="muted">{none}</p>;
  return (
    <div className="small-table" role="group" aria-label={label} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {columns.map(({ name, isNumber = false }) => (
              <th scope="col" key={name} className={isNumber ? 'right' : ''}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
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
