import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { optionalPackages } from '../../packages/platform/optional-packages/src/index.ts';

const root = join(import.meta.dirname, '..', '..');

/** The fields of a CycloneDX component that Weir reads. */
export interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly scope?: string;
  readonly licenses?: readonly { readonly expression?: string; readonly license?: { readonly id?: string; readonly name?: string } }[];
  readonly components?: readonly Component[];
}

interface Reference {
  readonly ref: string;
  readonly dependsOn?: readonly string[];
}

interface Document {
  readonly components: readonly Listed[];
  readonly dependencies: readonly Reference[];
}

interface Listed extends Component {
  readonly 'bom-ref': string;
  readonly properties?: readonly { readonly name: string; readonly value: string }[];
  readonly components?: readonly Listed[];
}

/**
 * CycloneDX 1.6 of the production dependencies, of every platform, and of the optional packages with theirs, in the scope `optional`. It
 * follows from package-lock.json alone, so a commit has one SBOM.
 */
export function sbom(): string {
  const production = document('--omit', 'dev');
  // The lockfile has the optional packages as dependencies of development.
  const all = document();
  const names = new Map(flat(all.components).map((one) => [one['bom-ref'], nameOf(one)]));
  const edges = new Map(all.dependencies.map(({ ref, dependsOn = [] }) => [ref, dependsOn]));
  const peers = optionalPeers(all.components);
  const needs = (ref: string): string[] => (edges.get(ref) ?? []).filter((to) => peers.get(ref)?.has(names.get(to) ?? '') !== true);

  const wanted = new Set(Object.values(optionalPackages).flatMap((packages) => packages.split(' ')));
  const chosen = all.components.filter((one) => wanted.has(`${nameOf(one)}@${one.version}`)).map((one) => one['bom-ref']);
  const present = new Set(flat(production.components).map((one) => one['bom-ref']));
  const optional = new Set<string>();
  const add = (ref: string): void => {
    if (optional.has(ref)) return;
    optional.add(ref);
    for (const to of needs(ref)) add(to);
  };
  for (const ref of chosen) add(ref);

  const added = (components: readonly Listed[] = []): Listed[] =>
    components
      .filter((one) => optional.has(one['bom-ref']) && !present.has(one['bom-ref']))
      .map(({ properties = [], components: inner, ...rest }) => ({
        ...rest,
        scope: 'optional',
        properties: properties.filter(({ name }) => name !== 'cdx:npm:package:development'),
        ...(inner === undefined ? {} : { components: added(inner) }),
      }));
  const kept = production.dependencies.map(({ ref, dependsOn = [] }) => {
    const to = new Set([...dependsOn, ...(edges.get(ref) ?? []).filter((one) => chosen.includes(one))]);
    return { ref, ...(to.size === 0 ? {} : { dependsOn: [...to].toSorted() }) };
  });
  const more = all.dependencies
    .filter(({ ref }) => optional.has(ref) && !present.has(ref))
    .map(({ ref }) => ({ ref, dependsOn: needs(ref) }));
  return JSON.stringify(
    { ...production, components: [...production.components, ...added(all.components)], dependencies: [...kept, ...more] },
    null,
    2,
  );
}

function document(...omit: readonly string[]): Document {
  const program = join(root, 'node_modules', '@cyclonedx', 'cyclonedx-npm', 'bin', 'cyclonedx-npm-cli.js');
  const options = ['--package-lock-only', ...omit, '--mc-type', 'application', '--spec-version', '1.6', '--output-reproducible'];
  const text = execFileSync(process.execPath, [program, ...options, '--output-format', 'JSON', '--output-file', '-'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(text) as Document;
}

/** The peers of each component that it works without, as the compiler. Nobody installs them for it. */
function optionalPeers(components: readonly Listed[]): ReadonlyMap<string, ReadonlySet<string>> {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>> }>>;
  };
  return new Map(
    flat(components).map((one) => {
      const path = one.properties?.find(({ name }) => name === 'cdx:npm:package:path')?.value ?? '';
      const meta = Object.entries(packages[path]?.peerDependenciesMeta ?? {});
      return [one['bom-ref'], new Set(meta.filter(([, { optional }]) => optional === true).map(([name]) => name))];
    }),
  );
}

function flat<One extends { readonly components?: readonly One[] }>(components: readonly One[] = []): One[] {
  return components.flatMap((one) => [one, ...flat(one.components)]);
}

/** Every component, also those that others bundle. */
export function componentsOf(text: string): Component[] {
  return flat((JSON.parse(text) as { components?: Component[] }).components);
}

export const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);
