import { expect, test } from 'vitest';
import { checkedSize, keyHash } from './append.ts';

test('a key keeps its partition for as long as there is data: these numbers must never change', () => {
  expect(['', 'a', 'deposit-1', '鍵🔑'].map(keyHash)).toMatchInlineSnapshot(`
    [
      725515275,
      444641715,
      1107954850,
      1889487946,
    ]
  `);
});

test('keys that differ in their last digit only are spread evenly', () => {
  const counts = Array.from({ length: 8 }, () => 0);
  for (let i = 0; i < 8_000; i++) {
    const partition = keyHash(`deposit-${i}`) % 8;
    counts[partition] = (counts[partition] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1_000)).toBeLessThan(150);
});

test('what PostgreSQL cannot store is refused before it can spoil a shared transaction', () => {
  const good = { topic: 't', key: 'k', value: Buffer.from([0]), headers: { a: 'b' } };
  expect(checkedSize(good)).toBe(5);
  for (const bad of [
    { ...good, key: 'a\0' },
    { ...good, headers: { a: '\ud800' } },
    { ...good, headers: { '\0': '' } },
  ]) {
    expect(() => checkedSize(bad)).toThrow(expect.objectContaining({ code: 'INVALID_RECORD', retriable: false }));
  }
});
