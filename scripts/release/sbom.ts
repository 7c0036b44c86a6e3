import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

/** The fields of a CycloneDX component that Weir reads. */
export interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly licenses?: readonly { readonly expression?: string; readonly license?: { readonly id?: string; readonly name?: string } }[];
  readonly components?: readonly Component[];
}

/** CycloneDX 1.6 of the production dependencies, of every platform. It follows from package-lock.json alone, so a commit has one SBOM. */
export function sbom(): string {
  const program = join(root, 'node_modules', '@cyclonedx', 'cyclonedx-npm', 'bin', 'cyclonedx-npm-cli.js');
  const options = ['--package-lock-only', '--omit', 'dev', '--mc-type', 'application', '--spec-version', '1.6', '--output-reproducible'];
  return execFileSync(process.execPath, [program, ...options, '--output-format', 'JSON', '--output-file', '-'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
}

/** Every component, also those that others bundle. */
export function componentsOf(text: string): Component[] {
  const flat = (components: readonly Component[] = []): Component[] => components.flatMap((one) => [one, ...flat(one.components)]);
  return flat((JSON.parse(text) as { components?: Component[] }).components);
}

export const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);
