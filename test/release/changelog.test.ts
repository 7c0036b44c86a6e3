import { expect, test } from 'vitest';
import { entryOf, withEntry } from '../../scripts/release/changelog.ts';

const change = (summary: string, ...types: string[]) => ({ summary, releases: types.map((type) => ({ type })) });

test('an entry groups changes by their largest step', () => {
  const entry = entryOf('0.2.0', [change('Holds it.', 'patch'), change('Reads\nboth.', 'patch', 'minor')]);
  expect(entry).toBe('## 0.2.0\n\n### Additions\n- Reads\n  both.\n\n### Corrections\n- Holds it.\n');
});

test('the newest entry stands first, behind the introduction', () => {
  const first = withEntry('# Changelog\n\nText.\n', '## 0.1.0\n');
  expect(first).toBe('# Changelog\n\nText.\n\n## 0.1.0\n');
  expect(withEntry(first, '## 0.2.0\n')).toBe('# Changelog\n\nText.\n\n## 0.2.0\n\n## 0.1.0\n');
});
