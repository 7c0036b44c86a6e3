import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cases } from './cases.ts';
import { rowsOf } from './pages.ts';
import specified from './specified-rows.json' with { type: 'json' };

/** The pages of the specification, which `npm run test:data` reads from outside the project. */
const pages = process.env['WEIR_TEST_SPEC'];

/** The rows of the project's own table, or of the pages. */
function specifiedIds(): string[] {
  if (pages === undefined) return Object.entries(specified).flatMap(([heading, rows]) => rows.map((row) => `${heading}: ${row}`));
  const rows = ['risk-service.md', 'open-points.md'].flatMap((page) => rowsOf(readFileSync(join(pages, page), 'utf8')));
  // Only the last pay-per-call table is valid, as the page says itself.
  return rows.filter(({ text }) => !/see note|is not used|is not a path/.test(text)).map(({ id }) => id);
}

test('there is a case for each specified row, and no other', () => {
  const ids = specifiedIds();
  expect(ids.length).toBeGreaterThan(100);
  expect(
    Object.keys(cases)
      .filter((id) => !id.startsWith('extra: '))
      .toSorted(),
  ).toEqual(ids.toSorted());
});
