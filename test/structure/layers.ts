import { dirname, join, normalize } from 'node:path';

/**
 * The folder is the layer. A package may use its own group and the groups before it. `sdk` packages use no other package of ours. A service
 * may use packages up to `pipeline`, but no other service. `installation` may use everything but `cli`, and `cli` everything.
 */
export const groups: readonly string[] = ['domain', 'sdk', 'platform', 'data', 'pipeline'];

/** One import of a file. `file` and `folder` are paths below the repository's root; `specifier` is as written. */
export interface Import {
  readonly file: string;
  readonly specifier: string;
}

export interface Package {
  readonly folder: string;
  readonly name: string;
}

/** One line for each import that breaks the rule. */
export function wrongImports(imports: readonly Import[], packages: readonly Package[]): string[] {
  const folderOf = new Map(packages.map(({ name, folder }) => [name, folder]));
  const ownerOf = (path: string): string | undefined => packages.find(({ folder }) => path.startsWith(`${folder}/`))?.folder;
  return imports.flatMap(({ file, specifier }) => {
    const from = ownerOf(file);
    if (from === undefined) return [];
    const relative = specifier.startsWith('.');
    const path = normalize(join(dirname(file), specifier));
    const to = relative ? ownerOf(path) : folderOf.get(specifier.split('/').slice(0, 2).join('/'));
    if (to === from || (to === undefined && !relative)) return [];
    const wrong = to === undefined ? !isTest(file) || !path.startsWith('test/') : relative || !mayUse(from, to, isTest(file));
    return wrong ? [`${file} must not import ${specifier}`] : [];
  });
}

/**
 * The folders of each service, each after those that it uses. A folder may also use a file at the root of its service, if no folder stands
 * behind that file. Tests may use all of the root, and the folders for tests.
 */
export const serviceFolders: Readonly<Record<string, readonly string[]>> = {
  'services/audit-writer': ['keys', 'witness', 'anchors'],
  'services/chain-follower': ['watching'],
  'services/console': [
    'pages',
    'sessions',
    'forward',
    'health',
    'attachments',
    'reviews',
    'labels',
    'dead-letters',
    'administration',
    'saved-views',
    'history',
    'cases',
    'case-files',
    'webhooks',
    'events',
  ],
  'services/risk-api': [
    'schema',
    'keys',
    'runs',
    'score-changes',
    'lists',
    'payments',
    'http',
    'reports',
    'surfaces/standard',
    'surfaces/sandbox',
    'surfaces/paid',
    'surfaces',
  ],
  'services/scoring': ['analyses', 'rescreens'],
  'services/withdrawal-gate': ['journal', 'permits', 'routes'],
};

const testFolders: readonly string[] = ['testing', 'conformance'];

/** One line for each import within a service that runs against the order of its folders, and for each file in no listed folder. */
export function wrongFolders(imports: readonly Import[]): string[] {
  const within = imports.flatMap(({ file, specifier }) => {
    const source = /^(services\/[^/]+)\/src\//.exec(file);
    const path = normalize(join(dirname(file), specifier));
    if (source === null || !specifier.startsWith('.') || !path.startsWith(source[0])) return [];
    const place = (of: string): string => placeOf(serviceFolders[source[1] ?? ''] ?? [], of.slice(source[0].length));
    return [{ file, specifier, path, order: serviceFolders[source[1] ?? ''] ?? [], from: place(file), to: place(path) }];
  });
  const isAbove = (path: string, seen: readonly string[] = []): boolean =>
    !seen.includes(path) && within.some((own) => own.file === path && (own.to !== root || isAbove(own.path, [...seen, path])));
  return within.flatMap(({ file, specifier, path, order, from, to }) => {
    if (from === unlisted) return [`${file} is in no listed folder`];
    const isForTests = isTest(file) && (to === root || testFolders.includes(to));
    if (from === root || testFolders.includes(from) || isForTests) return [];
    const wrong = to === root ? isAbove(path) : !order.includes(to) || order.indexOf(to) > order.indexOf(from);
    return wrong ? [`${file} must not import ${specifier}`] : [];
  });
}

const root = 'the root';
const unlisted = 'unlisted';

/** The listed folder of a path below `src`: the longest that holds it. */
function placeOf(order: readonly string[], path: string): string {
  if (!path.includes('/')) return root;
  const holding = [...order, ...testFolders].filter((folder) => path.startsWith(`${folder}/`));
  return holding.toSorted((a, b) => b.length - a.length)[0] ?? unlisted;
}

/** The packages of each cycle, one line per cycle. */
export function cycles(uses: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const found: string[] = [];
  const done = new Set<string>();
  const visit = (name: string, path: readonly string[]): void => {
    if (path.includes(name)) found.push([...path.slice(path.indexOf(name)), name].join(' → '));
    if (path.includes(name) || done.has(name)) return;
    for (const next of uses.get(name) ?? []) visit(next, [...path, name]);
    done.add(name);
  };
  for (const name of uses.keys()) visit(name, []);
  return found;
}

/** Tests and modules that only tests use. */
function isTest(file: string): boolean {
  return /\.(test|testing|behaviour|cases)\.ts$|\/(testing|behaviour|conformance)\/|\/testing\.ts$|-process\.ts$/.test(file);
}

function mayUse(from: string, to: string, test: boolean): boolean {
  if (from === 'packages/cli' || from === 'packages/installation') return to !== 'packages/cli';
  const rank = (folder: string): number => groups.indexOf(folder.split('/')[1] ?? '');
  if (!to.startsWith('packages/') || rank(to) < 0) return false;
  if (from.startsWith('services/')) return true;
  // Tests of a published package control its clock.
  if (from.startsWith('packages/sdk/')) return test && to === 'packages/platform/clock';
  return rank(to) <= rank(from);
}
