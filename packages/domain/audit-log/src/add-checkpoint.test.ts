import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatAddCheckpoint, parseAddCheckpoint } from './index.ts';

const note = 'example.com/log\n1\nAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\n\n— example.com/log AAAAAAAA\n';
const hash = fc.uint8Array({ minLength: 32, maxLength: 32 }).map((bytes) => Buffer.from(bytes));

test('a request is read as it was written', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.array(hash, { maxLength: 63 }), (old, proof) => {
      expect(parseAddCheckpoint(formatAddCheckpoint({ old, proof, note }))).toEqual({ old, proof, note });
    }),
  );
});

test('the form is that of C2SP tlog-witness', () => {
  const proof = [Buffer.alloc(32, 1)];
  expect(formatAddCheckpoint({ old: 20852014, proof, note })).toBe(`old 20852014\nAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQEBAQE=\n\n${note}`);
});

const line = Buffer.alloc(32).toString('base64');
test.each([
  ['nothing', ''],
  ['no size', `\n\n${note}`],
  ['a size with a leading zero', `old 01\n\n${note}`],
  ['a negative size', `old -1\n\n${note}`],
  ['a size beyond what is exact', `old 9007199254740993\n\n${note}`],
  ['no empty line', `old 1\n${line}\n`],
  ['a short hash', `old 1\n${Buffer.alloc(31).toString('base64')}\n\n${note}`],
  ['a hash in another alphabet', `old 1\n${line.replace('A', '_')}\n\n${note}`],
  ['a line with a space', `old 1\n${line} \n\n${note}`],
  ['a proof of 64 hashes', `old 1\n${`${line}\n`.repeat(64)}\n${note}`],
])('%s is refused', (_, text) => {
  expect(() => parseAddCheckpoint(text)).toThrow('this is not a request to a witness');
});
