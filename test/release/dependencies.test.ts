import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { licenceProblems } from '../../scripts/release/licences.ts';
import { optionalPackages } from '../../packages/platform/optional-packages/src/index.ts';
import { type Component, componentsOf, nameOf, sbom } from '../../scripts/release/sbom.ts';

const root = join(import.meta.dirname, '..', '..');
const manifest = (file: string) =>
  JSON.parse(readFileSync(join(root, file), 'utf8')) as {
    name: string;
    dependencies?: Record<string, string>;
    devDependencies?: Record<string, string>;
  };

let text: string;
let components: Component[];
beforeAll(() => {
  text = sbom();
  components = componentsOf(text);
});

test('the SBOM names every production dependency of every workspace, in its version', () => {
  const workspaces = globSync('{packages/*/*,packages/{installation,cli},services/*}/package.json', { cwd: root });
  const wanted = workspaces.flatMap((file) =>
    Object.entries(manifest(file).dependencies ?? {}).map(([name, version]) => `${name}@${version}`),
  );
  const named = new Set(components.map((component) => `${nameOf(component)}@${component.version}`));
  expect(wanted.length).toBeGreaterThan(100);
  expect(wanted.filter((name) => !named.has(name))).toEqual([]);
});

test('the SBOM names every optional package with what it needs, as optional', () => {
  const scopes = new Map(components.map((component) => [`${nameOf(component)}@${component.version}`, component.scope]));
  const wanted = Object.values(optionalPackages).flatMap((names) => names.split(' '));
  expect(wanted.map((name) => [name, scopes.get(name)])).toEqual(wanted.map((name) => [name, 'optional']));
  const { dependencies } = JSON.parse(text) as { dependencies: { ref: string; dependsOn?: string[] }[] };
  const refs = new Set(dependencies.map(({ ref }) => ref));
  expect(dependencies.flatMap(({ dependsOn = [] }) => dependsOn).filter((ref) => !refs.has(ref))).toEqual([]);
  // What an optional package needs and production has too is no option.
  expect(components.find((component) => nameOf(component) === 'pg')?.scope).toBeUndefined();
});

test('the SBOM names no tool of development, and is the same each time', () => {
  const names = new Set(components.map(nameOf));
  for (const tool of ['vitest', 'knip', 'typescript', '@changesets/cli']) expect(names).not.toContain(tool);
  expect(JSON.parse(text)).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', metadata: { component: { name: 'weir' } } });
  expect(sbom()).toBe(text);
});

test('the licence of every production dependency is known and allowed', () => {
  expect(components.length).toBeGreaterThan(200);
  expect(licenceProblems(components)).toEqual([]);
});

test.each<[string, Component['licenses'], string[]]>([
  ['no licence', [], ['x@1.0.0 names no licence']],
  ['a licence with further duties', [{ license: { id: 'AGPL-3.0-only' } }], ['x@1.0.0 has the licence AGPL-3.0-only']],
  ['one more licence that is not allowed', [{ expression: 'MIT AND GPL-2.0-only' }], ['x@1.0.0 has the licence MIT AND GPL-2.0-only']],
  ['words instead of a licence', [{ license: { name: 'see file' } }], ['x@1.0.0 has the licence see file']],
  ['a choice that includes an allowed one', [{ expression: '(GPL-2.0-only OR MIT)' }], []],
])('%s is judged', (_, licenses, problems) => {
  expect(licenceProblems([{ name: 'x', version: '1.0.0', ...(licenses && { licenses }) }])).toEqual(problems);
});
