import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { commitment, type EntryMetadata, type EntryPayload, leafHash, leafOf } from './index.ts';
import { seed } from './tree.testing.ts';

const salt = Buffer.alloc(16, 7);
const entry: EntryMetadata & EntryPayload = {
  event_id: '16fd2706-8baf-533b-a82b-bb81c2b3ee25',
  conflicts_with: null,
  topic: 'screenings.scored',
  log_partition: 1,
  log_offset: 9_007_199_254_740_993n,
  event_time: '2026-01-02T03:04:05.678000Z',
  recorded_at: '2026-01-02T03:04:05.678901Z',
  key: 'd-1',
  headers: { traceparent: 'b', ce_id: 'a' },
  screening_id: null,
  value: Buffer.from([0, 10, 255]),
};

test('a commitment is made of the salt, one line and the value, whatever the order of the headers', () => {
  const line = '{"headers":[["ce_id","a"],["traceparent","b"]],"key":"d-1","screening_id":null}\n';
  const expected = createHash('sha256').update(salt).update(line).update(entry.value).digest();
  expect(commitment(salt, entry)).toEqual(expected);
  expect(commitment(salt, { ...entry, headers: { ce_id: 'a', traceparent: 'b' } })).toEqual(expected);
});

test('a leaf is one line that has the metadata and the commitment, and nothing of the payload', () => {
  const leaf = leafOf(entry, commitment(salt, entry)).toString();
  expect(leaf).toBe(
    '{"version":1,"event_id":"16fd2706-8baf-533b-a82b-bb81c2b3ee25","conflicts_with":null,"topic":"screenings.scored","log_partition":1,' +
      '"log_offset":"9007199254740993","event_time":"2026-01-02T03:04:05.678000Z","recorded_at":"2026-01-02T03:04:05.678901Z",' +
      `"commitment":"${commitment(salt, entry).toString('hex')}"}`,
  );
  expect(leaf).not.toMatch(/d-1|traceparent/);
});

const entryHash = (given: typeof entry, salted: Buffer) => leafHash(leafOf(given, commitment(salted, given)));

describe('a change of any field changes the hash', () => {
  const changes: Partial<typeof entry>[] = [
    { event_id: '26fd2706-8baf-533b-a82b-bb81c2b3ee25' },
    { conflicts_with: entry.event_id },
    { topic: 'screenings.decided' },
    { log_partition: 2 },
    { log_offset: 9_007_199_254_740_992n },
    { event_time: '2026-01-02T03:04:05.679000Z' },
    { recorded_at: '2026-01-02T03:04:05.678902Z' },
    { key: 'd-2' },
    { headers: { ce_id: 'a' } },
    { headers: { ce_id: 'b', traceparent: 'a' } },
    { screening_id: entry.event_id },
    { value: Buffer.alloc(0) },
  ];
  test.each(changes)('%o', (change) => expect(entryHash({ ...entry, ...change }, salt)).not.toEqual(entryHash(entry, salt)));

  test('and so does another salt', () => expect(entryHash(entry, Buffer.alloc(16, 8))).not.toEqual(entryHash(entry, salt)));

  test(`also where text moves from one field to the next (seed ${seed})`, () => {
    const payload = fc.record({
      key: fc.string({ unit: fc.constantFrom('"', '\n', '\\', 'a', '}') }),
      headers: fc.dictionary(fc.constantFrom('"', 'a', 'b'), fc.constantFrom('', '"]', 'a', '\n')),
      screening_id: fc.constantFrom(null, 'a', '"}'),
      value: fc.string({ unit: fc.constantFrom('\n', '{', 'a') }).map((text) => Buffer.from(text)),
    });
    const content = ({ headers, value, ...rest }: EntryPayload) => ({
      ...rest,
      value: [...value],
      headers: Object.keys(headers)
        .sort()
        .map((name) => [name, headers[name]]),
    });
    fc.assert(
      fc.property(payload, payload, (one, two) => {
        const isSame = JSON.stringify(content(one)) === JSON.stringify(content(two));
        expect(commitment(salt, one).equals(commitment(salt, two))).toBe(isSame);
      }),
      { seed, numRuns: 2_000 },
    );
  });
});
