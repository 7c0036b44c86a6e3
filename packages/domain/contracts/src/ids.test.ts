import fc from 'fast-check';
import { v5 } from 'uuid';
import { expect, test } from 'vitest';
import { eventId, screeningId } from './ids.ts';

const namespace = v5('urn:weir', v5.URL);

test('ids are UUIDv5 of urn:weir', () => {
  const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 200 }), fc.uuid(), fc.constant(''));
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(screeningId('deposit', one)).toBe(v5(`deposit:${one}`, namespace));
      expect(eventId(one, 7, other)).toBe(v5(`${one}/7/${other}`, namespace));
    }),
    { numRuns: 1_000 },
  );
});

test('half a character makes no id', () => {
  expect(() => screeningId('deposit', '\ud800')).toThrow(URIError);
  expect(() => v5('\ud800', namespace)).toThrow(URIError);
});
