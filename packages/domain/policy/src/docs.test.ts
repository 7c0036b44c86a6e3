import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parsePolicy, readPolicy } from './index.ts';
import { fields, functions } from './vocabulary.ts';

const page = readFileSync(join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'policy.md'), 'utf8');

describe('docs/policy.md', () => {
  const examples = [...page.matchAll(/```yaml\n(.*?)```/gs)].map(([, text = '']) => text);
  test('has examples', () => expect(examples.length).toBeGreaterThan(1));

  test.each(examples)('an example is a policy: %s', (text) => {
    const { rules = [], history = {} } = parsePolicy(`${readPolicy()}\n${text}`);
    expect(rules.length + Object.keys(history).length).toBeGreaterThan(0);
  });

  test('names every field and every function', () => {
    const named = [...Object.values(fields).flatMap((record) => Object.keys(record)), ...functions];
    expect(named.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });
});
