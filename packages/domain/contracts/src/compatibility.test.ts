import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { incompatibilities, type ReleasedSchema } from './compatibility.ts';

const root = join(import.meta.dirname, '..');

const current = new Map(
  readdirSync(join(root, 'schemas')).map((name) => [name.replace(/\.avsc$/, ''), readFileSync(join(root, 'schemas', name), 'utf8')]),
);

const released: ReleasedSchema[] = readdirSync(join(root, 'released')).flatMap((topic) =>
  readdirSync(join(root, 'released', topic)).map((name) => ({
    topic,
    version: Number(name.replace(/\.avsc$/, '')),
    text: readFileSync(join(root, 'released', topic, name), 'utf8'),
  })),
);

interface Record {
  fields: { name: string; type: unknown; default?: unknown }[];
}

function changing(topic: string, change: (schema: Record) => void): string[] {
  const schema = JSON.parse(current.get(topic) ?? '') as Record;
  change(schema);
  return incompatibilities(new Map(current).set(topic, JSON.stringify(schema)), released);
}

test('every schema can read, and be read by, all that were released', () => {
  expect(released.length).toBeGreaterThanOrEqual(current.size);
  expect(incompatibilities(current, released)).toEqual([]);
});

test('a new field with a default is fine', () => {
  expect(changing('deposits.detected', ({ fields }) => fields.push({ name: 'later', type: ['null', 'string'], default: null }))).toEqual(
    [],
  );
});

test.each<[string, (schema: Record) => void, string]>([
  ['a new field without a default', ({ fields }) => fields.push({ name: 'later', type: 'string' }), 'cannot read what version 1 wrote'],
  ['a field that is gone', ({ fields }) => fields.splice(0, 1), 'version 1 cannot read what it writes'],
  ['a field with another name', ({ fields }) => Object.assign(fields[0] ?? {}, { name: 'other' }), 'cannot read what version 1 wrote'],
  ['a field of another type', ({ fields }) => Object.assign(fields[0] ?? {}, { type: 'long' }), 'cannot read what version 1 wrote'],
])('%s is found', (_, change, said) => {
  expect(changing('deposits.detected', change).join('\n')).toContain(`deposits.detected: ${said}`);
});

test('one symbol more in an enum is found: who reads with the old one does not know it', () => {
  const problems = changing('screenings.decided', ({ fields }) => {
    const found = JSON.stringify(fields).replace('"allow"', '"allow","defer"');
    fields.splice(0, fields.length, ...(JSON.parse(found) as Record['fields']));
  });
  expect(problems.join('\n')).toContain('version 1 cannot read what it writes');
});

test('a topic that vanished is found', () => {
  const without = new Map(current);
  without.delete('reviews.resolved');
  expect(incompatibilities(without, released)).toEqual(['reviews.resolved: was released and is gone']);
});
