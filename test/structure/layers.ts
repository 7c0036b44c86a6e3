/**
 * Who may depend on whom. A package may use those that stand before it; services use packages and never one another;
 * `cli` puts everything together. That imports are declared in package.json is checked by knip.
 */
export const layers: readonly string[] = [
  'clock',
  'chains',
  'facts',
  'contracts',
  'postgres',
  'redis',
  'event-log',
  'rate-budget',
  'risk-client',
  'permit',
  'risk-engine',
  'sanctions',
  'policy',
  'sample',
  'service-kit',
  'intake',
  'reviews',
];

export interface Manifest {
  readonly folder: string;
  readonly name: string;
  readonly dependencies: readonly string[];
}

/** One line for each dependency that points the wrong way. */
export function wrongDirections(manifests: readonly Manifest[]): string[] {
  const folderOf = new Map(manifests.map((manifest) => [manifest.name, manifest.folder]));
  return manifests.flatMap((manifest) =>
    manifest.dependencies
      .filter((name) => folderOf.has(name) && !mayUse(manifest.folder, folderOf.get(name) ?? ''))
      .map((name) => `${manifest.folder} must not use ${name}`),
  );
}

function mayUse(from: string, to: string): boolean {
  if (from === 'packages/cli') return true;
  if (!to.startsWith('packages/') || to === 'packages/cli') return false;
  if (from.startsWith('services/')) return true;
  const rank = (folder: string): number => layers.indexOf(folder.replace('packages/', ''));
  return rank(to) >= 0 && rank(to) < rank(from);
}
