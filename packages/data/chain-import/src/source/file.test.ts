import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { collect, makeFolder } from '../testing/files.ts';
import { readFile } from './file.ts';
import type { Fields } from './records.ts';

const folder = makeFolder();
afterAll(() => folder.remove());

const asTheyAre = { map: (fields: Fields) => [fields] };
const read = (content: string | Uint8Array, after = 0) => collect(readFile(folder.write('file', content), asTheyAre)(after));

describe('CSV', () => {
  it('may have quotes, line ends in cells, CRLF, blanks, a byte order mark and empty lines', async () => {
    expect(await read('\uFEFFa, b\r\n1,2\r\n\r\n"x, ""y""\r\nz",3\r\n 4 ,5')).toEqual([
      { number: 2, rows: [{ a: '1', b: '2' }] },
      { number: 4, rows: [{ a: 'x, "y"\nz', b: '3' }] },
      { number: 6, rows: [{ a: '4', b: '5' }] },
    ]);
  });

  it('rejects what is broken and goes on behind it', async () => {
    const records = await read('a,b\n1\n"2,3\n4,5\n6" tall,7\n8,9\n');
    expect(records).toEqual([
      { number: 2, rejected: '1 cells where the header has 2', text: '1' },
      { number: 3, rejected: 'a quote stands where none may be', text: '"2,3' },
      { number: 4, rows: [{ a: '4', b: '5' }] },
      { number: 5, rejected: 'a quote is not closed', text: '6" tall,7' },
      { number: 6, rows: [{ a: '8', b: '9' }] },
    ]);
  });

  it('rejects a cell that would swallow the rest of the file, and that alone', async () => {
    const records = await read(`a\n"open\n${'x\n'.repeat(3_000)}`);
    expect(records).toHaveLength(3_001);
    expect(records[0]).toEqual({ number: 2, rejected: 'a quote is not closed', text: '"open' });
  });

  it('keeps names that objects have of their own apart', async () => {
    expect(await read('__proto__,constructor\n1,2\n')).toEqual([{ number: 2, rows: [JSON.parse('{"__proto__":"1","constructor":"2"}')] }]);
  });

  it.each([
    ['', 'file: the file is empty; its first line must name the columns'],
    ['a,b,a\n', 'file: the column a is there twice'],
    ['a,b\r1,2\r', 'file: its lines end with CR alone; make that LF'],
    ['"a\n1\n', 'file: the first line must name the columns as CSV in UTF-8'],
  ])('%j is none', async (content, said) => expect(read(content)).rejects.toThrow(said));

  it('comes back whatever the cells hold', async () => {
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', ' ', 'é', '0') }).map((text) => text.trim());
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 8 }), async (rows) => {
        const content = rows.map((cells) => cells.map((text) => `"${text.replaceAll('"', '""')}"`).join(',')).join('\n');
        const found = (await read(`a,b\n${content}\n`)).flatMap((record) =>
          'rows' in record ? record.rows : [{ rejected: record.rejected }],
        );
        expect(found).toEqual(rows.map(([a, b]) => ({ a, b })));
      }),
      { numRuns: 60 },
    );
  });
});

describe('JSON', () => {
  it('lines keep all digits of what no float can hold', async () => {
    expect(
      await read(
        '{"value": 7056176614974947328, "list": [115792089237316195423570985008687907853269984665640564039457584007913129639935]}',
      ),
    ).toEqual([
      {
        number: 1,
        rows: [{ value: '7056176614974947328', list: ['115792089237316195423570985008687907853269984665640564039457584007913129639935'] }],
      },
    ]);
    expect(await read('{"a": 0.12345678901234567890, "b": -12345678901234567, "c": 12, "d": "1234567890123456789"}')).toEqual([
      { number: 1, rows: [{ a: '0.12345678901234567890', b: '-12345678901234567', c: 12, d: '1234567890123456789' }] },
    ]);
  });

  it('lines that are none are rejected alone', async () => {
    expect(await read('{"a":1}\n{"a":\n[1]\n\n{"a":2}')).toEqual([
      { number: 1, rows: [{ a: 1 }] },
      { number: 2, rejected: 'is no JSON object', text: '{"a":' },
      { number: 3, rejected: 'is no JSON object', text: '[1]' },
      { number: 5, rows: [{ a: 2 }] },
    ]);
  });

  it('arrays are counted by element', async () => {
    expect(await read(' [{"a":1}, 2]')).toEqual([
      { number: 1, rows: [{ a: 1 }] },
      { number: 2, rejected: 'is no JSON object', text: '2' },
    ]);
  });
});

describe('any file', () => {
  it('may be packed, and begin anywhere', async () => {
    const csv = `a\n${Array.from({ length: 50 }, (_, n) => (n % 7 === 0 ? `"${n}\n!"` : n)).join('\n')}\n`;
    const lines = Array.from({ length: 50 }, (_, n) => `{"n":${n}}`).join('\n');
    for (const content of [csv, lines, `[${lines.replaceAll('\n', ',')}]`]) {
      const all = await read(gzipSync(content));
      expect(all).toHaveLength(50);
      for (const after of [0, 1, 2, 8, 30, 49, 99]) expect(await read(content, after)).toEqual(all.filter(({ number }) => number > after));
    }
  });

  it('that is cut off fails, and what came before it has been read', async () => {
    const packed = gzipSync(Array.from({ length: 40_000 }, (_, n) => `{"n":"${Math.sin(n)}"}`).join('\n'));
    const records: unknown[] = [];
    const reading = async (): Promise<void> => {
      for await (const record of readFile(folder.write('cut.gz', packed.subarray(0, packed.length / 2)), asTheyAre)(0))
        records.push(record);
    };
    await expect(reading()).rejects.toThrow('cut.gz is damaged or cut off: Z_BUF_ERROR');
    expect(records.length).toBeGreaterThan(1_000);
  });

  it('that is not there fails with its name', async () => {
    await expect(collect(readFile('/no/such/file.csv', asTheyAre)(0))).rejects.toThrow('file.csv cannot be read: ENOENT');
  });
});
