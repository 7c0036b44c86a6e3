import { csv } from '@weir/service-kit/csv';
import { plainNumber } from '../words/format.ts';
import { saveFile } from './save-file.ts';

/** As the server writes its exports. A number has no exponent. `names`: each is unique. */
export function saveCsv(file: string, names: readonly string[], rows: readonly (readonly (string | number | null)[])[]): void {
  const named = rows.map((row) =>
    Object.fromEntries(row.map((value, index) => [names[index] ?? '', typeof value === 'number' ? plainNumber(value) : value])),
  );
  saveFile(new Blob([csv(names, named)], { type: 'text/csv;charset=utf-8' }), `${file}.csv`);
}
