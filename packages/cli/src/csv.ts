import { neutralised } from '@weir/chain-import';

/** Form of the CSV that is written. */
export interface CsvForm {
  /** Cells that a spreadsheet takes for formulas stay as they are. */
  readonly keepFormulas: boolean;
}

/** One record of RFC 4180. No column of ours has negative numbers, so none is exempt from being neutralised. */
export function csvLine(cells: readonly string[], { keepFormulas }: CsvForm): string {
  return `${cells.map((cell) => quoted(keepFormulas ? cell : neutralised(cell))).join(',')}\r\n`;
}

function quoted(text: string): string {
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
