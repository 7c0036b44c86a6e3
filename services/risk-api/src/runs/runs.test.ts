import type { TestDatabase } from '@weir/postgres/testing';
import { unknown } from '@weir/risk-engine';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createRiskDatabase } from '../testing/database.ts';
import { RunRecords } from './runs.ts';

const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const subject = { chain: 'ethereum', kind: 'address', value: `0x${'a'.repeat(40)}`, direction: 'deposit' } as const;
const at = (minute: number): Date => new Date(Date.UTC(2025, 0, 1, 0, minute));

let database: TestDatabase;
beforeAll(async () => {
  database = await createRiskDatabase();
});
afterAll(() => database.drop());

it('a score that waited long for a worker is kept for as long as it is good', async () => {
  const records = new RunRecords(database.pool);
  await records.findOrStart(subject, { newId: id, now: at(0), since: at(0) });
  await records.finish(
    id,
    { result: unknown, scannedAt: at(30), labelsVersion: 0n, readSet: { addresses: [], sides: [] } },
    { last: false },
  );
  const sweepBefore = (minute: number): Promise<number> => records.sweep({ tasksBefore: at(0), runsBefore: at(minute), limit: 10 });
  expect([await sweepBefore(29), (await records.find(id))?.state]).toEqual([0, 'done']);
  expect([await sweepBefore(30), await records.find(id)]).toEqual([1, undefined]);
});
