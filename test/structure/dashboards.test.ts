import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

interface Panel {
  readonly type: string;
  readonly title: string;
  readonly description?: string;
  readonly links?: readonly { readonly url: string }[];
  readonly fieldConfig?: { readonly defaults: { readonly unit?: string } };
  readonly targets?: readonly { readonly expr: string }[];
  readonly panels?: readonly Panel[];
}
const panelsOf = (panels: readonly Panel[]): Panel[] => panels.flatMap((panel) => [panel, ...panelsOf(panel.panels ?? [])]);
const dashboards = globSync('deploy/grafana/generated/*.json', { cwd: root }).map((file) => {
  const { title, panels } = JSON.parse(readFileSync(join(root, file), 'utf8')) as { title: string; panels: readonly Panel[] };
  return { title, panels: panelsOf(panels).filter(({ type }) => type !== 'row') };
});
const panels = dashboards.flatMap(({ title, panels: some }) => some.map((panel) => [`${title}: ${panel.title}`, panel] as const));

test('there are the five dashboards', () => {
  expect(dashboards.map(({ title }) => title).sort()).toEqual([
    'Budget',
    'Pipeline',
    'PostgreSQL, Kafka and Redis',
    'Risk decisions',
    'Risk service',
  ]);
  expect(panels.length).toBeGreaterThan(80);
});

test.each(panels)('%s has a unit, a description, a query, and a link to a runbook that is there', (_title, panel) => {
  expect(panel.fieldConfig?.defaults.unit ?? '').not.toBe('');
  expect(panel.description ?? '').not.toBe('');
  expect(panel.targets?.every(({ expr }) => expr !== '')).toBe(true);
  const [, page] = /^\$\{handbook\}\/(runbooks\/\w+\.md)$/.exec(panel.links?.[0]?.url ?? '') ?? [];
  expect(page).toBeDefined();
  expect(existsSync(join(root, 'docs', page ?? ''))).toBe(true);
});
