import { ManualClock } from '@weir/clock';
import { type Assessment, unknown } from '@weir/risk-engine';
import { assessment, readPdf } from '@weir/risk-report/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ScanQuery } from './query.ts';
import { lazarus, openTestReports, origin, type Replica, storeResult, type TestReports } from './testing.ts';

const scannedAt = 1_784_194_205;
const query: ScanQuery = { chain: 'ethereum', kind: 'address', subject: lazarus, direction: 'deposit', coin: 'ETH', scannedAt };
const txid = '0x37d411e434f6a5124a5e615f767dcbfc668d68355f8baac2ec5fd7ff4050ee94';

let reports: TestReports;

beforeAll(async () => {
  reports = await openTestReports();
  await storeResult(reports.database, query, assessment);
});
afterAll(() => reports.stop());

const open = (assess?: () => Promise<Assessment>): Replica =>
  reports.open({ clock: new ManualClock(scannedAt * 1000 + 3_600_000), ...(assess === undefined ? {} : { assess }) });

async function read(replica: Replica, of: Parameters<Replica['url']>[0]): Promise<string> {
  const response = await replica.get(await replica.url(of, origin));
  expect(response.status).toBe(200);
  return (await readPdf(new Uint8Array(await response.arrayBuffer()))).text;
}

describe('a report', () => {
  it('tells the result that was given out, while it is kept', async () => {
    const text = await read(
      open(() => Promise.reject(new Error('nothing is to be computed'))),
      query,
    );
    expect(text).toContain('HIGH 74 of 100');
    expect(text).toContain('Scanned 2026-07-16 09:30:05 UTC Report made 2026-07-16 10:30:05 UTC');
    expect(text).not.toContain('computed anew');
  });

  it('says so when it had to be computed anew', async () => {
    const asked: unknown[] = [];
    const replica = open(async (...given: unknown[]) => {
      asked.push(given);
      return unknown;
    });
    const text = await read(replica, { ...query, direction: 'withdraw' });
    expect(asked).toEqual([[{ chain: 'ethereum', kind: 'address', value: lazarus, direction: 'withdraw' }, scannedAt * 1000 + 3_600_000]]);
    expect(text).toContain(
      'The result of 2026-07-16 09:30:05 UTC that this report was asked for is no longer kept. What follows was computed anew at 2026-07-16 10:30:05 UTC and may differ from it.',
    );
    expect(text).toContain('Scanned 2026-07-16 10:30:05 UTC');
    expect(text).toContain('Nothing is known of this address');
  });

  it('shows the labels with their times, those that have ended too', async () => {
    await reports.database.pool.query(
      `INSERT INTO chain.labels (chain, address, name, category, source, valid_from, valid_to, confidence) VALUES
       ('ethereum', $1, 'Unhosted wallet 7', 'ordinary', 'a public tag pack', '2024-01-02', NULL, 0.6),
       ('ethereum', $1, 'Lazarus Group', 'sanctioned', 'a list of sanctions', '2022-04-14', '2025-03-21', 1)`,
      [lazarus],
    );
    const text = await read(open(), query);
    expect(text).toContain('Unhosted wallet 7 ordinary a public tag pack 60 % from 2024-01-02');
    expect(text).toMatch(/Lazarus Group sanctioned a list of sanctions 100 % from 2022-04-14 to 2025-03-21 \(ended: not counted\)/);
    expect(text).toContain('Labels of the subject itself: a public tag pack, a list of sanctions.');
  });

  it('of a transaction names the side that is scored', async () => {
    const of: ScanQuery = { ...query, kind: 'txid', subject: txid, direction: 'withdraw' };
    await storeResult(reports.database, of, assessment);
    const text = await read(open(), of);
    expect(text).toContain('withdrawal: the receiving side is scored');
    expect(text).toContain('A transaction is scored by one side');
    expect(text).toContain('By type Side Entries Mixer received 1 Illicit activity received 1');
  });

  it('that cannot be computed is a failure that tells nothing', async () => {
    const replica = open(() => Promise.reject(new Error('inside')));
    const response = await replica.get(await replica.url({ ...query, scannedAt: 1 }, origin));
    expect(response.headers.get('content-type')).toBe('application/json');
    expect([response.status, await response.json()]).toEqual([500, { success: false, msg: 'InternalError', data: {} }]);
  });
});

describe('a report of the sandbox', () => {
  it('of no target is refused', async () => {
    const replica = open();
    expect((await replica.get(await replica.url({ sandbox: lazarus }, origin))).status).toBe(403);
  });
});
