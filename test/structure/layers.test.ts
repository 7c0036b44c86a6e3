import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { cycles, groups, type Import, type Package, wrongFolders, wrongImports } from './layers.ts';

const root = join(import.meta.dirname, '..', '..');
const exclude = (path: string): boolean => path.includes('node_modules');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');

const packages: readonly Package[] = globSync('{packages,services}/**/package.json', { cwd: root, exclude }).map((file) => ({
  folder: dirname(file),
  name: (JSON.parse(read(file)) as Package).name,
}));

const imports: readonly Import[] = globSync('{packages,services}/**/src/**/*.ts', { cwd: root, exclude }).flatMap((file) =>
  [...read(file).matchAll(/(?:from|import|import\() ?'([^'\n]+)'/g)].map(([, specifier = '']) => ({ file, specifier })),
);

test('every package stands in a layer, and its name is that of its folder', () => {
  expect(packages.length).toBeGreaterThan(20);
  const places = new RegExp(`^(packages/(${groups.join('|')})/[a-z-]+|packages/(installation|cli)|services/[a-z-]+(/web)?)$`);
  const nameOf = (folder: string): string =>
    `@weir/${folder
      .replace(/.*\/([^/]+)\/web$/, '$1-web')
      .split('/')
      .at(-1)}`;
  expect(packages.filter(({ folder, name }) => !places.test(folder) || name !== nameOf(folder))).toEqual([]);
});

test('imports point to the own layer or to one before it, tests and relative paths included', () => {
  expect(imports.length).toBeGreaterThan(2_000);
  expect(wrongImports(imports, packages)).toEqual([]);
});

test('the folders of a service use each other in one direction, tests included', () => {
  expect(wrongFolders(imports)).toEqual([]);
});

test.each<[string, string]>([
  ['services/risk-api/src/http/app.ts', '../surfaces/paid/discovery.ts'],
  ['services/risk-api/src/http/app.test.ts', '../surfaces/paid/discovery.ts'],
  ['services/risk-api/src/surfaces/sandbox/targets.ts', '../paid/routes.ts'],
  ['services/risk-api/src/keys/keys.ts', '../service.ts'],
  ['services/risk-api/src/keys/keys.ts', '../testing/instance.ts'],
])('a wrong direction in a service is found: %s importing %s', (file, specifier) => {
  const service = { file: 'services/risk-api/src/service.ts', specifier: './http/app.ts' };
  expect(wrongFolders([service, { file, specifier }])).toEqual([`${file} must not import ${specifier}`]);
});

test('a file in a folder that no list names is found', () => {
  const file = 'services/scoring/src/elsewhere/file.ts';
  expect(wrongFolders([{ file, specifier: '../clock.ts' }])).toEqual([`${file} is in no listed folder`]);
});

test('no packages use each other in a circle', () => {
  const uses = new Map(
    packages.map(({ folder, name }) => {
      const { dependencies = {} } = JSON.parse(read(`${folder}/package.json`)) as { dependencies?: Record<string, string> };
      return [name, new Set(Object.keys(dependencies).filter((other) => other.startsWith('@weir/')))];
    }),
  );
  expect(cycles(uses)).toEqual([]);
});

test.each<[string, string]>([
  ['packages/domain/chains/src/index.ts', '@weir/clock'],
  ['packages/domain/chains/src/index.ts', '../../../platform/clock/src/index.ts'],
  ['packages/sdk/risk-client/src/client.ts', '@weir/clock'],
  ['packages/sdk/risk-client/src/client.test.ts', '@weir/postgres'],
  ['packages/platform/clock/src/index.ts', '@weir/service-kit'],
  ['packages/pipeline/intake/src/index.ts', '@weir/cli'],
  ['packages/pipeline/intake/src/index.test.ts', '@weir/scoring'],
  ['services/scoring/src/service.ts', '@weir/decision'],
  ['services/scoring/src/service.ts', '@weir/installation'],
  ['packages/installation/src/start.ts', '@weir/cli'],
  ['services/scoring/src/service.ts', '../../decision/src/index.ts'],
  ['services/scoring/src/service.ts', '../../../test/support/stack/random.ts'],
  ['services/scoring/src/service.ts', '../../../packages/domain/chains/src/index.ts'],
])('a wrong direction is found: %s importing %s', (file, specifier) => {
  expect(wrongImports([{ file, specifier }], packages)).toEqual([`${file} must not import ${specifier}`]);
});

test.each<[string, string]>([
  ['packages/domain/policy/src/policy.ts', '@weir/chains'],
  ['packages/domain/policy/src/policy.ts', './parse.ts'],
  ['packages/platform/rate-budget/src/index.ts', '@weir/clock'],
  ['packages/sdk/risk-client/src/client.test.ts', '@weir/clock'],
  ['packages/platform/event-log/src/kafka/member.kafka.test.ts', '../../../../../test/support/stack/kafka.ts'],
  ['services/scoring/src/service.ts', '@weir/risk-client/testing'],
  ['packages/installation/src/start.ts', '@weir/console'],
  ['packages/cli/src/start/run.ts', '@weir/installation'],
])('a right direction is none: %s importing %s', (file, specifier) => {
  expect(wrongImports([{ file, specifier }], packages)).toEqual([]);
});

test('a circle is found', () => {
  expect(
    cycles(
      new Map([
        ['a', new Set(['b'])],
        ['b', new Set(['c'])],
        ['c', new Set(['b'])],
      ]),
    ),
  ).toEqual(['b → c → b']);
});
