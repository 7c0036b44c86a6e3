import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { jsonArray, type Pool } from './index.ts';
import { createTestDatabase, type TestDatabase } from './testing.ts';

let db: TestDatabase;
let pool: Pool;
beforeAll(async () => {
  db = await createTestDatabase();
  pool = db.pool;
});
afterAll(() => db.drop());

/** The elements one by one, as PostgreSQL reads them. */
async function read(type: string, array: readonly unknown[]): Promise<unknown[]> {
  const { rows } = await pool.query<{ item: unknown }>(
    `SELECT u.item FROM unnest($1::${type}[]) WITH ORDINALITY AS u(item, n) ORDER BY u.n`,
    [array],
  );
  return rows.map(({ item }) => item);
}

describe('arrays of parameters arrive as they were', () => {
  const special = [
    '',
    ' ',
    'NULL',
    'null',
    '{}',
    '{a,b}',
    'a,b',
    '"',
    '\\',
    '\\\\"',
    'a\\nb',
    'a\nb',
    '\t\u0001\u001f',
    '\u007f\u2028',
    '€𝒳',
  ];

  test('texts, whatever they hold', async () => {
    expect(await read('text', special)).toEqual(special);
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.string(), fc.json(), fc.constantFrom(...special)).map(storable);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(text)), async (texts) => {
        expect(await read('text', texts)).toEqual(texts);
      }),
      { numRuns: 200 },
    );
  });

  test('JSON', async () => {
    const documents = [{ a: 'x"y\\z', b: ['\n', null, 1.5] }, {}, [], 'text', '\u{1f600}'];
    expect(
      await read(
        'jsonb',
        documents.map((document) => JSON.stringify(document)),
      ),
    ).toEqual(documents);
  });

  test('JSON in binary form, with nulls, and none at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(fc.jsonValue().filter((value) => value !== null))), async (documents) => {
        const texts = documents.map((document) => (document === null ? null : JSON.stringify(document)));
        for (const type of ['json', 'jsonb'] as const) {
          const { rows } = await pool.query<{ item: string | null }>(
            `SELECT u.item::text FROM unnest($1::${type}[]) WITH ORDINALITY AS u(item, n) ORDER BY u.n`,
            [jsonArray(type, texts)],
          );
          expect(rows.map(({ item }) => item && JSON.parse(item))).toEqual(texts.map((text) => text && JSON.parse(text)));
        }
      }),
      { numRuns: 200 },
    );
    await expect(pool.query('SELECT unnest($1::jsonb[])', [jsonArray('jsonb', ['{"a":'])])).rejects.toMatchObject({ code: '22P02' });
  });

  test('numbers, whole numbers beyond doubles, truth values and times', async () => {
    const numbers = [0, -1, 1.5, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, null];
    expect(await read('float8', numbers)).toEqual(numbers);
    expect(await read('float8', [Number.NaN, Number.POSITIVE_INFINITY])).toEqual([Number.NaN, Number.POSITIVE_INFINITY]);
    expect(await read('int8', [2n ** 63n - 1n, -5n])).toEqual([2n ** 63n - 1n, -5n]);
    expect(await read('int8', [1n, null])).toEqual([1n, null]);
    expect(await read('bool', [true, null, false])).toEqual([true, null, false]);
    const times = [new Date(0), new Date('2026-01-02T03:04:05.678Z')];
    expect(await read('timestamptz', times)).toEqual(times);
  });

  test('bytes', async () => {
    const bytes = [Buffer.of(), Buffer.of(0, 34, 92, 255), Buffer.from('{"a"}')];
    expect(await read('bytea', bytes)).toEqual(bytes);
    expect(await read('bytea', [...bytes, null])).toEqual([...bytes, null]);
  });

  test('none at all, and arrays in an array', async () => {
    expect(await read('text', [])).toEqual([]);
    expect(
      await read('text', [
        ['a', 'b"'],
        ['c', '\\'],
      ]),
    ).toEqual(['a', 'b"', 'c', '\\']);
  });

  test('a text with NUL is refused, as before', async () => {
    await expect(read('text', ['a\0b'])).rejects.toMatchObject({ code: '22021' });
  });
});

/** PostgreSQL stores no NUL. UTF-8 has no halves of surrogate pairs. */
function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
