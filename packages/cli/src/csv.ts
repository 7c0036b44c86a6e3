import { neutralised } from '@weir/chain-import';

export interface CsvForm {
  /** Leaves cells that a spreadsheet would run as formulas. */
  readonly keepFormulas: boolean;
}

/** One record of RFC 4180. No column has negative numbers, so every cell is neutralised. */
export function csvLine(cells: readonly string[], { keepFormulas }: CsvForm): string {
  return `${cells.map((cell) => quoted(keepFormulas ? cell : neutralised(cell))).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
