import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseInstant } from './time.ts';

describe('a time', () => {
  it.each([
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2024-07-16 12:04:47', '2024-07-16T12:04:47.000Z'],
    ['2022-03-29T21:41:18+00:00', '2022-03-29T21:41:18.000Z'],
    ['2022-03-29T21:41:18.123456789+0530', '2022-03-29T16:11:18.123Z'],
    ['2023-05-02 12:19:59+00', '2023-05-02T12:19:59.000Z'],
    ['2022-03-29T21:41Z', '2022-03-29T21:41:00.000Z'],
  ])('%s is %s', (text, iso) => expect(parseInstant(text)?.toISOString()).toBe(iso));

  it.each([
    '',
    '2023-02-29',
    '2024-13-01',
    '2024-1-1',
    '13/2/2024',
    '2024-01-01T25:00:00Z',
    '2024-01-01T00:00:00+99:00',
    '2024-01-01\n',
    '1700000000',
  ])('%j is none', (text) => expect(parseInstant(text)).toBeUndefined());

  it('comes back from what a Date writes', () => {
    fc.assert(
      fc.property(fc.date({ min: new Date(0), max: new Date('9999-12-31T23:59:59.999Z'), noInvalidDate: true }), (date) => {
        expect(parseInstant(date.toISOString())).toEqual(date);
      }),
    );
  });
});
