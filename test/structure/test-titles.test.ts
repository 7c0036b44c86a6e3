import { expect, test } from 'vitest';
import { testTitles } from './test-titles.ts';

test('a text in quotes that is no title of a test is not taken for one', () => {
  const source = `
    // 'in a comment'
    const name = 'of a constant';
    describe('a suite', () => {
      test.skipIf(isSlow)('a test', () => expect(name).toBe('compared'));
      it.each<[string, number]>([
        ['first', 1],
        ['second', 2],
      ])('row %s', async (text: string, n: number): Promise<void> => run(
        'argument', n));
    });
    contest('of another call');`;
  expect(testTitles(source)).toEqual(new Set(['a suite', 'a test', 'row %s', 'row first', 'row second']));
});
