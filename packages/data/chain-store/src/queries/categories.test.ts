import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LabelFormat, readLabelFile } from '@weir/chain-import';
import { canonicalCategory, categoryNames } from '@weir/risk-engine';
import { expect, it } from 'vitest';
import { kinds } from './categories.ts';

it('every category of the engine has its kind, and there are no others', () => {
  expect(Object.keys(kinds).toSorted()).toEqual([...categoryNames].toSorted());
});

it.each<[LabelFormat, string]>([
  ['csv', 'chain,address,name,category,source\nETH,0x1,Shop,market,a list\n'],
  ['graphsense-csv', 'currency,address,label,category,source\nETH,0x1,Shop,market,a list\n'],
])('a market without an abuse is no darknet market, in %s', async (format, content) => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-markets-'));
  const file = join(folder, 'markets.csv');
  writeFileSync(file, content);
  const categories: string[] = [];
  for await (const record of readLabelFile(file, format)(0))
    if ('rows' in record) categories.push(...record.rows.map(({ category }) => canonicalCategory(category)));
  rmSync(folder, { recursive: true });
  expect(categories).toEqual(['service']);
});
