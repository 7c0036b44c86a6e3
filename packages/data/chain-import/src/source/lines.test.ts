import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { collect } from '../testing/files.ts';
import { readLines, UnfinishedLine } from './lines.ts';

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
          // The last line has no line end; an empty one does not count.
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

  it('that are too long are rejected, keeping their beginning', async () => {
    const bytes = Buffer.from(`short\n${'x'.repeat(3_000)}\nlast\n`);
    expect(await collect(readLines(chunked(bytes, 256), 1_000))).toEqual([
      { number: 1, text: 'short' },
      { number: 2, rejected: 'is longer than 1000 bytes', text: 'x'.repeat(200) },
      { number: 3, text: 'last' },
    ]);
  });

  it('that are too long retain no more than the longest line and the chunk in which it begins', () => {
    const [longest, chunkSize] = [1 << 20, 1 << 16];
    const line = new UnfinishedLine(longest);
    const chunk = (): Buffer => Buffer.from(new ArrayBuffer(chunkSize));
    line.add(chunk().subarray(-1));
    for (let n = 0; n < 400; n += 1) {
      line.add(chunk());
      expect(line.retainedBytes).toBeLessThanOrEqual(longest + chunkSize);
    }
    expect(line.finish()).toMatchObject({ rejected: `is longer than ${longest} bytes` });
    expect(line.retainedBytes).toBe(0);
  });
});
