import { expect, test } from 'vitest';
import { reportLines } from './report.ts';

test('the name of a file cannot move the cursor of who reads what came of it', () => {
  const name = '\u001b[2Jrows\u009b31m.csv';
  const at = new Date(0);
  const counts = { records: 2, inserted: 1, unchanged: 0, mergedUsd: '0', rejected: 1, ended: 0 };
  const run = { id: '1', key: 'k', kind: 'labels', name, ...counts, startedAt: at, updatedAt: at, finishedAt: at } as const;
  const outcome = { run, after: 0, records: 2, rows: 2, left: new Map(), seconds: 1, rejectedFile: `${name}.rejected.jsonl` };
  for (const said of [reportLines(outcome), reportLines({ ...outcome, after: 1 })]) {
    expect(said.join('')).toContain('rows');
    expect(said.join('')).not.toMatch(/\p{Cc}/u);
  }
});
