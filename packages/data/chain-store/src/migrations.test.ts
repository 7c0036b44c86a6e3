import type { TestDatabase } from '@weir/postgres/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chainStoreMigrations } from './migrations.ts';
import { createChainDatabase, label, loadLabels } from './testing.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());

it('rows of OFAC’s list from before the kinds of sources become an authority’s, and no copy does', async () => {
  const sources = ['OFAC SDN', 'OFAC SDN 27307', 'OFAC SDN, copied', 'GraphSense: OFAC SDN'];
  const listed = sources.map((source) => ({ ...label, category: 'sanctioned', source }));
  await loadLabels(database.pool, [...listed, { ...label, source: 'OFAC SDN' }]);
  await database.pool.query(chainStoreMigrations.find(({ id }) => id === 'chain-store/0007-authorities-of-old-rows')?.sql ?? '');
  const { rows } = await database.pool.query(
    `SELECT source, category FROM chain.labels WHERE source_kind = 'authority' AND authority = 'OFAC' ORDER BY source`,
  );
  expect(rows).toEqual([
    { source: 'OFAC SDN', category: 'sanctioned' },
    { source: 'OFAC SDN 27307', category: 'sanctioned' },
  ]);
});
