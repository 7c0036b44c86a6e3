import type { Content, StyleDictionary, TableLayout } from './pdfmake.ts';

/** A4, in points. */
export const sideMargin = 48;
export const contentWidth = 595.28 - 2 * sideMargin;

export const ink = '#1d2733';
export const muted = '#5a6472';
export const rule = '#d5dae1';
const shade = '#f1f4f7';

export const styles: StyleDictionary = {
  title: { fontSize: 20, bold: true },
  heading: { fontSize: 12.5, bold: true, margin: [0, 16, 0, 5] },
  subheading: { fontSize: 9.5, bold: true, margin: [0, 8, 0, 3] },
  body: { fontSize: 9, lineHeight: 1.25, margin: [0, 0, 0, 4] },
  note: { fontSize: 8, color: muted, lineHeight: 1.2, margin: [0, 3, 0, 3] },
  cell: { fontSize: 8, lineHeight: 1.15 },
  columnHead: { fontSize: 8, bold: true, color: muted },
};

/** Lines between rows and a shaded head, repeated on every page. */
const rows: TableLayout = {
  hLineWidth: (index, { table }) => (index === 0 || index === table.body.length ? 0.8 : 0.4),
  vLineWidth: () => 0,
  hLineColor: () => rule,
  fillColor: (index) => (index === 0 ? shade : null),
  paddingLeft: () => 5,
  paddingRight: () => 5,
  paddingTop: () => 3,
  paddingBottom: () => 3,
};

/** Never the last line of a page. */
export function heading(text: string): Content {
  return { text, style: 'heading', headlineLevel: 1 };
}

export function body(text: string): Content {
  return { text, style: 'body' };
}

export function note(text: string): Content {
  return { text, style: 'note' };
}

export function bullets(lines: readonly string[]): Content {
  return { ul: lines.map((text): Content => wrapping(text, {}, longestWord)), style: 'body', markerColor: muted };
}

/** The longest words that fit a narrow column, and a page's line. */
const longWord = 18;
const longestWord = 80;

/** Keeps a text within its column: with longer words, such as addresses, lines may break anywhere. */
export function wrapping(text: string, more: object = {}, longest = longWord): { text: string } {
  const breaks = text.split(/[\s-]/).some((word) => word.length > longest);
  return { text, ...more, ...(breaks ? { wordBreak: 'break-all' } : {}) };
}

/** `right` aligns numbers. */
export function tableOf(
  columns: readonly { readonly title: string; readonly width: number | 'auto' | '*'; readonly right?: boolean }[],
  lines: readonly (readonly Content[])[],
): Content {
  const alignment = (index: number): object => (columns[index]?.right === true ? { alignment: 'right' } : {});
  return {
    table: {
      headerRows: 1,
      keepWithHeaderRows: 1,
      dontBreakRows: true,
      widths: columns.map(({ width }) => width),
      body: [
        columns.map(({ title }, index): Content => ({ text: title, style: 'columnHead', ...alignment(index) })),
        ...lines.map((line) =>
          line.map((cell, index): Content => (typeof cell === 'string' ? wrapping(cell, { style: 'cell', ...alignment(index) }) : cell)),
        ),
      ],
    },
    layout: rows,
    margin: [0, 2, 0, 4],
  };
}
