import { useMutation } from '@tanstack/react-query';
import { Button } from 'react-aria-components';
import { words } from '../words/en.ts';
import { Problem } from './states.tsx';

export interface FileColumn<Row> {
  /** Unique in its table. */
  readonly name: string;
  /** The whole value: decimals as they came, and times as ISO 8601 in UTC. */
  readonly value?: ((row: Row) => string | number | null) | undefined;
}

interface FileButtonProps<Row> {
  /** The name of the file without its ending. */
  readonly file: string;
  /** Of the table. */
  readonly label: string;
  /** Those without a value are left out. */
  readonly columns: readonly FileColumn<Row>[];
  /** In this order. */
  readonly rows: readonly Row[];
}

/** Writes a table that the page has whole as CSV. A list that is read page by page has an `ExportLink`. */
export function FileButton<Row>({ file, label, columns, rows }: FileButtonProps<Row>) {
  const save = useMutation({
    mutationFn: async () => {
      const { saveCsv } = await import('./csv-file.ts');
      const written = columns.flatMap(({ name, value }) => (value === undefined ? [] : [{ name, value }]));
      saveCsv(
        file,
        written.map(({ name }) => name),
        rows.map((row) => written.map(({ value }) => value(row))),
      );
    },
  });
  return (
    <>
      <p className="row">
        <Button className="small" aria-label={words.exportOf(label)} onPress={() => save.isPending || save.mutate()}>
          {words.exportCsv}
        </Button>
      </p>
      {save.error !== null && <Problem text={words.notExported} />}
    </>
  );
}
