/** A row of a table of the specification. */
export interface Row {
  /** Its heading, and enough cells to distinguish it within its table. */
  readonly id: string;
  readonly text: string;
}

/** Every row of every table of a Markdown page. A line in bold counts as a heading. */
export function rowsOf(markdown: string): Row[] {
  const tables: { heading: string; rows: string[][] }[] = [];
  let heading = '';
  let isTable = false;
  for (const line of markdown.split('\n')) {
    heading = /^#+ (.*)$|^\*\*(.*?)\*\*/.exec(line)?.slice(1).find(Boolean) ?? heading;
    if (!line.startsWith('|')) {
      isTable = false;
      continue;
    }
    const cells = line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.replaceAll('`', '').trim());
    if (/^-+$/.test(cells[0] ?? '')) {
      isTable = true;
      tables.push({ heading: heading.replaceAll('`', ''), rows: [] });
    } else if (isTable) tables.at(-1)?.rows.push(cells);
  }
  return tables.flatMap(({ heading: of, rows }) =>
    rows.map((cells) => ({ id: `${of}: ${shortest(cells, rows)}`, text: `${of} ${cells.join(' ')}` })),
  );
}

function shortest(cells: readonly string[], rows: readonly (readonly string[])[]): string {
  const start = (of: readonly string[], length: number): string => of.slice(0, length).join(' ');
  const length = cells.findIndex((_, at) => new Set(rows.map((row) => start(row, at + 1))).size === rows.length) + 1;
  return start(cells, length === 0 ? cells.length : length);
}
