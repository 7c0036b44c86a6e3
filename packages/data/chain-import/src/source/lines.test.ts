import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../testing/files.ts';
import { readLines } from './lines.ts';

async function* chunked(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('lines', () => {
  it('are the same however the bytes come', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.string({ unit: 'grapheme' })),
        fc.constantFrom('\n', '\r\n'),
        fc.integer({ min: 1, max: 9 }),
        async (texts, end, size) => {
          const clean = texts.map((text) => text.replaceAll(/[\r\n\uFEFF]/g, ''));
          const lines = await collect(readLines(chunked(Buffer.from(clean.join(end)), size)));
          // The last line ends without a line end; when it is empty it is none.
          const expected = clean.map((text, at) => ({ number: at + 1, text })).slice(0, clean.at(-1) === '' ? -1 : undefined);
          expect(lines).toEqual(expected);
        },
      ),
    );
  });

  it('lose a byte order mark, and reject what is not UTF-8 alone', async () => {
    const bytes = Buffer.concat([Buffer.from('\uFEFFfirst\n'), Buffer.from([0x61, 0xff, 0x0a]), Buffer.from('third')]);
    expect(await collect(readLines(chunked(bytes, 4)))).toEqual([
      { number: 1, text: 'first' },
      { number: 2, rejected: 'is not UTF-8', text: 'a\uFFFD' },
      { number: 3, text: 'third' },
    ]);
  });

  it('that are too long are rejected, keeping their beginning, and cost no memory', async () => {
    const endless = async function* (): AsyncGenerator<Buffer> {
      yield Buffer.from('short\n');
      for (let n = 0; n < 400; n += 1) yield Buffer.alloc(1 << 20, 'x');
      yield Buffer.from('\nlast\n');
    };
    const before = process.memoryUsage().arrayBuffers;
    const lines = await collect(readLines(endless(), 1 << 20));
    expect(lines).toEqual([
      { number: 1, text: 'short' },
      { number: 2, rejected: 'is longer than 1048576 bytes', text: 'x'.repeat(200) },
      { number: 3, text: 'last' },
    ]);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1 << 28);
  });
});
