import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Manifest, layers, wrongDirections } from './layers.ts';

const root = join(import.meta.dirname, '..', '..');

function readManifests(): Manifest[] {
  return ['packages', 'services'].flatMap((group) =>
    readdirSync(join(root, group))
      .map((name) => `${group}/${name}`)
      .filter((folder) => existsSync(join(root, folder, 'package.json')))
      .map((folder) => {
        const json = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
        return { folder, name: json.name, dependencies: Object.keys({ ...json.dependencies, ...json.devDependencies }) };
      }),
  );
}

test('packages depend downwards only, and services on packages only', () => {
  const manifests = readManifests();
  expect(manifests.length).toBeGreaterThan(15);
  expect(wrongDirections(manifests)).toEqual([]);
});

test('every package has its place in the order', () => {
  const packages = readManifests().filter(({ folder }) => folder.startsWith('packages/') && folder !== 'packages/cli');
  expect(packages.map(({ folder }) => folder.replace('packages/', '')).sort()).toEqual([...layers].sort());
});

test('a wrong direction is found', () => {
  const manifests: Manifest[] = [
    { folder: 'packages/chains', name: '@weir/chains', dependencies: ['@weir/policy'] },
    { folder: 'packages/policy', name: '@weir/policy', dependencies: ['@weir/scoring', '@weir/chains'] },
    { folder: 'services/scoring', name: '@weir/scoring', dependencies: ['@weir/decision', '@weir/policy'] },
    { folder: 'services/decision', name: '@weir/decision', dependencies: [] },
  ];
  expect(wrongDirections(manifests)).toEqual([
    'packages/chains must not use @weir/policy',
    'packages/policy must not use @weir/scoring',
    'services/scoring must not use @weir/decision',
  ]);
});
