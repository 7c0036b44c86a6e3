import { expect, test } from 'vitest';
import { fieldsSince, isEarlierVersion, topicSchemas, topics } from './index.ts';

const current = topicSchemas['screenings.decided'];
type Field = { name: string; doc?: string; type: unknown };
const changed = (change: (fields: Field[]) => Field[]): string => {
  const schema = JSON.parse(current) as { fields: Field[] };
  return JSON.stringify({ ...schema, fields: change(schema.fields) });
};

test('each schema is a version of itself and of no other topic', () => {
  for (const topic of topics) expect(topics.filter((other) => isEarlierVersion(topicSchemas[topic], topicSchemas[other]))).toEqual([topic]);
});

test('an earlier version lacks fields or has another text of documentation', () => {
  const before = changed((fields) => fields.slice(0, -2).map((field) => ({ ...field, doc: 'before' })));
  expect(isEarlierVersion(before, current)).toBe(true);
  expect(fieldsSince(before, current)).toEqual(['resolution_id', 'names_sanctioned']);
  expect(isEarlierVersion(current, before)).toBe(false);
});

test('names in another order, other types and other symbols are no earlier version', () => {
  const swapped = changed(([id, ...rest]) => [...rest, id as Field]);
  expect(isEarlierVersion(swapped, current)).toBe(false);
  expect(isEarlierVersion(current.replace('"block","review","allow"', '"allow","review","block"'), current)).toBe(false);
  expect(isEarlierVersion(current.replace('"long"', '"int"'), current)).toBe(false);
  expect(isEarlierVersion('{', current)).toBe(false);
});
