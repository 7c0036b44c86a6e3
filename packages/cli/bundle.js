// Bundles the command line, where the packages for it are installed. `npm ci` runs it, and so do the tests; without it, the sources are run.
import { randomUUID } from 'node:crypto';
import { readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { bundles, findBundle, isOwn, manifest, stamp } from './bin/bundled.js';

const root = join(import.meta.dirname, '..', '..');
/** Change with each installation of packages, and with the entry points of ours. */
const manifests = () => [
  'node_modules/.package-lock.json',
  ...readdirSync(join(root, 'node_modules', '@weir')).map((name) => `node_modules/@weir/${name}/package.json`),
];
/** Of many small files, and nothing in them depends on where they lie. Other packages are read from `node_modules`. */
const inlined = [
  '@bomb.sh/tab',
  '@hono/node-server',
  '@marcbachmann/cel-js',
  '@noble/',
  '@opentelemetry/api',
  '@oxc-project/runtime',
  '@scure/',
  '@weir/',
  'commander',
  'csv-parse',
  'hono',
  'jose',
  'lru-cache',
  'p-map',
  'uuid',
  'yaml',
  'zod',
];
const keptMs = 30 * 86_400_000;
const isInlined = (id) => inlined.some((name) => (name.endsWith('/') ? id.startsWith(name) : id === name || id.startsWith(`${name}/`)));
const isFile = (id) => id.startsWith('.') || id.startsWith('/') || id.startsWith('\0');

/** Files beside a module are found from where it was. */
function placesOf(folder) {
  return {
    name: 'places',
    transform(code, id) {
      if (!code.includes('import.meta.') || id.includes('/node_modules/')) return null;
      const url = `new URL(${JSON.stringify(relative(folder, id))}, import.meta.url)`;
      return code
        .replaceAll('import.meta.url', `${url}.href`)
        .replaceAll('import.meta.dirname', `__fileURLToPath(new URL('.', ${url})).slice(0, -1)`);
    },
    renderChunk(code) {
      return code.includes('__fileURLToPath(') ? `import { fileURLToPath as __fileURLToPath } from 'node:url';\n${code}` : null;
    },
  };
}

/** Notes the sources before they are read: one that changes meanwhile makes the bundle an old one. */
function stampsOf(stamps) {
  return {
    name: 'stamps',
    load(id) {
      if (id.startsWith(`${root}/`) && !id.includes('/node_modules/')) stamps.push(stamp(relative(root, id)));
      return null;
    },
  };
}

async function bundle({ rolldown }) {
  const files = [relative(root, import.meta.filename), ...manifests()].map(stamp);
  const folder = randomUUID();
  const dir = join(bundles, folder);
  const made = await rolldown({
    cwd: root,
    input: { weir: join(root, 'packages', 'cli', 'src', 'main.ts') },
    platform: 'node',
    transform: { target: 'esnext' },
    external: (id) => !isFile(id) && !isInlined(id),
    plugins: [stampsOf(files), placesOf(dir)],
    logLevel: 'warn',
  });
  await made.write({ dir, format: 'esm', entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  writeFileSync(`${dir}.json`, JSON.stringify({ folder, files }));
  renameSync(`${dir}.json`, manifest);
  // Running processes may still read from younger ones.
  const madeAt = statSync(dir).mtimeMs;
  // Another build may have removed one just now.
  const ageMs = (name) => madeAt - (statSync(join(bundles, name), { throwIfNoEntry: false })?.mtimeMs ?? madeAt);
  for (const name of readdirSync(bundles)) if (ageMs(name) > keptMs) rmSync(join(bundles, name), { recursive: true, force: true });
}

if (isOwn() && findBundle() === undefined) {
  const packages = await import('rolldown').catch(() => undefined);
  // The sources run as well.
  if (packages !== undefined) await bundle(packages).catch((error) => process.stderr.write(`weir is not bundled: ${error.message}\n`));
}
