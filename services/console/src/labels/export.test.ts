import { createChainSchema } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import { mostExported } from '@weir/service-kit';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestApi, type TestApi } from '../routes.testing.ts';
import { labelOperations } from './routes.ts';

/** A spreadsheet runs a cell that begins with one of these. */
const leads = ['=', '+', '-', '@', '\t', '\r'];
const address = `0x${'1'.repeat(40)}`;
const path = '/v1/exports/labels';

let api: TestApi;
beforeAll(async () => {
  api = await openTestApi((db, access) => labelOperations({ db, access, clock: systemClock }));
});
afterAll(() => api.close());

async function read(query: Readonly<Record<string, string>>): Promise<{ rows: Record<string, string>[]; cut: string | null }> {
  const answer = await api.get(`${path}?${new URLSearchParams(query).toString()}`);
  expect([answer.status, answer.headers.get('content-disposition')]).toEqual([200, 'attachment; filename="labels.csv"']);
  return { rows: parse(await answer.text(), { columns: true }), cut: answer.headers.get('x-weir-cut') };
}

function put(source: string, names: readonly string[]): Promise<unknown> {
  return api.db.pool.query(
    `INSERT INTO chain.labels (chain, address, name, category, source, confidence, valid_to)
     SELECT 'ethereum', $1, n, 'scam', $2, 0.9, '2026-01-31' FROM unnest($3::text[]) AS n`,
    [address, source, names],
  );
}

test('a database without labels has none to export', async () => {
  const answer = await api.get(`${path}?source=own`);
  expect([answer.status, await answer.json()]).toEqual([404, expect.objectContaining({ code: 'NO_LABELS' })]);
  await createChainSchema(api.db.pool);
});

test('labels of an address or of a source are exported, and no spreadsheet runs a name', async () => {
  await put(
    'own',
    leads.map((lead) => `${lead}1+cmd`),
  );
  await put('other', ['Mallory, "M"']);
  const { rows, cut } = await read({ source: 'own' });
  expect(cut).toBe('false');
  expect(rows).toHaveLength(leads.length);
  expect(new Set(rows.map(({ name }) => name))).toEqual(new Set(leads.map((lead) => `'${lead}1+cmd`)));
  expect(rows[0]).toEqual({
    chain: 'ethereum',
    address,
    name: expect.any(String),
    category: 'scam',
    source: 'own',
    source_kind: 'curated',
    confidence: '0.9',
    valid_from: '',
    valid_to: '2026-01-31T00:00:00.000Z',
  });
  const ofAddress = await read({ address });
  expect(ofAddress.rows).toHaveLength(leads.length + 1);
  expect(await read({ address, source: 'other' })).toMatchObject({ rows: [{ name: 'Mallory, "M"' }], cut: 'false' });
  expect((await read({ source: 'nobody' })).rows).toEqual([]);
});

test('more labels than an export holds are cut, and said so', async () => {
  const names = Array.from({ length: mostExported }, (_, n) => `label ${n}`);
  await put('large', names);
  const { rows, cut } = await read({ source: 'large' });
  expect([rows.length, cut]).toEqual([mostExported, 'false']);
  await put('large', ['one more']);
  const more = await read({ source: 'large' });
  expect([more.rows.length, more.cut]).toEqual([mostExported, 'true']);
});

test('changes of labels are exported, the newest first', async () => {
  const change = `INSERT INTO chain.label_changes (action, scope, labels, person, reason) VALUES ('end', $1, 1, 'Ann', $2)`;
  for (const reason of ['appealed', '=1+1']) await api.db.pool.query(change, [{ addresses: [address], source: 'own' }, reason]);
  const answer = await api.get('/v1/exports/label-changes');
  const rows: Record<string, string>[] = parse(await answer.text(), { columns: true });
  expect(rows.map(({ action, addresses, person, reason }) => [action, addresses, person, reason])).toEqual([
    ['end', address, 'Ann', "'=1+1"],
    ['end', address, 'Ann', 'appealed'],
  ]);
  expect(rows[0]?.['changed_at']).toMatch(/^20.*Z$/);
});

test.each(['', '?address=nobody', '?source=own&limit=5', '?source=%00'])('%j is refused', async (query) => {
  expect((await api.get(`${path}${query}`)).status).toBe(400);
});

test.each([
  ['reviewer', 200],
  ['ingest', 403],
])('the role %s exports with %d', async (role, status) => {
  expect((await api.get(`${path}?source=own`, `token-${role}`)).status).toBe(status);
});
