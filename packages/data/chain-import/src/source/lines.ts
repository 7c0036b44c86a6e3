import { isUtf8 } from 'node:buffer';

/** Numbered from 1, without its line end. */
export type Line =
  | { readonly number: number; readonly text: string }
  | { readonly number: number; readonly rejected: string; readonly text: string };

/** Far beyond any record (a Bitcoin block may hold one transaction of 4 MB). */
const longestLine = 16 << 20;
const newline = 0x0a;

/** Lines of UTF-8 text with LF or CRLF; drops a byte order mark. Buffers one line. */
export async function* readLines(bytes: AsyncIterable<Buffer>, longest = longestLine): AsyncGenerator<Line, void, void> {
  const line = new UnfinishedLine(longest);
  for await (const chunk of bytes) {
    let from = 0;
    for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, from)) {
      line.add(chunk.subarray(from, end));
      from = end + 1;
      yield line.finish();
    }
    if (from < chunk.length) line.add(chunk.subarray(from));
  }
  if (!line.isEmpty) yield line.finish();
}

/** Views into the chunks of the current line. */
export class UnfinishedLine {
  readonly #longest: number;
  #number = 0;
  #pieces: Buffer[] = [];
  #size = 0;

  constructor(longest: number) {
    this.#longest = longest;
  }

  get isEmpty(): boolean {
    return this.#size === 0;
  }

  /** A view keeps its whole chunk in memory. */
  get retainedBytes(): number {
    return [...new Set(this.#pieces.map(({ buffer }) => buffer))].reduce((sum, { byteLength }) => sum + byteLength, 0);
  }

  add(piece: Buffer): void {
    this.#size += piece.length;
    // The beginning of an overlong line suffices to find it again.
    if (this.#size <= this.#longest || this.#pieces.length === 0) this.#pieces.push(piece.subarray(0, this.#longest));
  }

  finish(): Line {
    this.#number += 1;
    const line = this.#size > this.#longest ? tooLong(this.#number, this.#pieces, this.#longest) : toLine(this.#number, this.#pieces);
    this.#pieces = [];
    this.#size = 0;
    return line;
  }
}

/** Blank lines count in the numbering but are no records. */
export function isBlank(line: Line): boolean {
  return !('rejected' in line) && line.text.trim() === '';
}

function toLine(number: number, pieces: readonly Buffer[]): Line {
  const bytes = pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
  const decoded = bytes.toString('utf8');
  const text = (number === 1 ? decoded.replace(/^\uFEFF/, '') : decoded).replace(/\r$/, '');
  if (!isUtf8(bytes)) return { number, rejected: 'is not UTF-8', text: text.slice(0, 200).toWellFormed() };
  return { number, text };
}

function tooLong(number: number, pieces: readonly Buffer[], longest: number): Line {
  const text = pieces[0]?.subarray(0, 200).toString('utf8') ?? '';
  return { number, rejected: `is longer than ${longest} bytes`, text: text.toWellFormed() };
}
