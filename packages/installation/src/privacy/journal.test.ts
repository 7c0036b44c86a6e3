import { appendFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { appendErasure, type JournalLine, readErasures } from './journal.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-erasures-'));
afterEach(() => rmSync(folder, { recursive: true }));

const line = (erasure_id: string): JournalLine => ({
  erasure_id,
  approved_at: '2031-01-01T00:00:00Z',
  cause: { kind: 'request', reason: 'Löschung', proposedBy: { id: 'r:1', name: 'One' }, approvedBy: { id: 'a:2', name: 'Two' } },
  screenings: [],
});

test('a line that a killed process left unfinished does not spoil the erasure after it', async () => {
  const path = join(folder, 'erasures.jsonl');
  await appendErasure(path, line('first'));
  appendFileSync(path, '{"erasure_id":"cut","reason":"Lö');
  expect(await readErasures(path)).toEqual([line('first')]);
  await appendErasure(path, line('second'));
  const torn: number[] = [];
  expect(await readErasures(path, (number) => torn.push(number))).toEqual([line('first'), line('second')]);
  expect(torn).toEqual([3]);
});
