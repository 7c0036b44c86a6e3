import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { topicSpecs } from './index.ts';

interface Described {
  readonly channels: Readonly<Record<string, { address: string; messages: Readonly<Record<string, { $ref: string }>> }>>;
}

const described = parse(readFileSync(new URL('../asyncapi.yaml', import.meta.url), 'utf8')) as Described;

test('every topic and its dead letters are described', () => {
  expect(Object.values(described.channels).map(({ address }) => address)).toEqual(topicSpecs.map(({ name }) => name));
});

test('every reference leads somewhere', () => {
  const references = [...JSON.stringify(described).matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? '');
  expect(references.length).toBeGreaterThan(topicSpecs.length);
  for (const path of references) {
    const found = path.split('/').reduce((at: unknown, name) => (at as Record<string, unknown> | undefined)?.[name], described);
    expect([path, found]).toEqual([path, expect.any(Object)]);
  }
});
