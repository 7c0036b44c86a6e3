import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { composeServices } from '../../support/stack/compose-file.ts';
import { freePort } from '../../support/stack/ports.ts';
import type { ComposeCommand } from '../engine/compose.ts';
import type { Engine } from '../engine/engine.ts';
import type { Provided } from '../images/images.ts';
import { type PortVariable, portVariables, projectRoot, Stack } from './stack.ts';

const buildLimitMs = 900_000;
/** Two cores start some twelve containers, three of them with Java. */
const upLimitS = 600;

export interface BringUpOptions {
  readonly engine: Engine;
  readonly compose: ComposeCommand;
  readonly images: Provided;
  readonly say: (line: string) => void;
  /** Takes the place of `.env`. */
  readonly envFile?: string;
  /** With what they depend on; default: all without a profile. */
  readonly only?: readonly string[];
}

/** Uses free ports. `place` names the absent services. */
export async function bringUp({ engine, compose, images, say, envFile, only }: BringUpOptions): Promise<Stack> {
  const ports = Object.fromEntries(await Promise.all(portVariables.map(async (name) => [name, String(await freePort())]))) as Record<
    PortVariable,
    string
  >;
  const common = { project: 'weir-check', dockerHost: engine.host, compose, ports, ...(envFile === undefined ? {} : { envFile }) };
  const services = await new Stack({ ...common, absent: [], standIns: [] }).services();
  const bought = Object.entries(services).filter(([, { build }]) => build === undefined);
  const { standIns, missing } = images;
  const unavailable = bought.filter(([, { image }]) => missing.includes(image)).map(([name]) => name);
  // Grafana has no substitute, so it may be absent. Other missing images fail the run.
  const lost = unavailable.filter((name) => name !== 'grafana');
  // The substitute of PostgreSQL has Debian's clients. They are older than its server, and pg_basebackup refuses a newer one.
  const unable = bought.filter(([name, { image }]) => name === 'backup' && standIns.includes(image)).map(([name]) => name);
  const absent = [...unavailable, ...unable];
  if (lost.length > 0) throw new Error(`no image for ${lost.join(', ')}: ${missing.join(', ')} can be neither pulled nor built here`);

  const stack = new Stack({ ...common, absent, standIns });
  const all = Object.entries(services).filter(([name, { profiles }]) => profiles === undefined && !absent.includes(name));
  const wanted = only ?? all.map(([name]) => name);
  try {
    const args = ['up', '--detach', '--no-build', '--wait', '--wait-timeout', String(upLimitS), ...wanted];
    await stack.compose(args, { limitMs: (upLimitS + 60) * 1_000 });
  } catch (error) {
    say(await stack.compose(['logs', '--no-color', '--tail', '30']));
    await takeDown(stack);
    throw error;
  }
  return stack;
}

/** Its base images must be present. */
export async function buildOurs(engine: Engine): Promise<void> {
  const [ours] = composeServices().flatMap(({ image, build }) => (build === undefined ? [] : [image]));
  if (ours === undefined) throw new Error('docker-compose.yml builds no image');
  await engine.docker(['build', '--quiet', '--tag', ours, '--file', join('deploy', 'Dockerfile'), '.'], {
    cwd: projectRoot,
    limitMs: buildLimitMs,
    ...legacyBuilder(engine),
  });
}

export async function takeDown(stack: Stack): Promise<void> {
  await stack.compose(['--profile', '*', 'down', '--volumes', '--remove-orphans', '--timeout', '20']);
}

/** The engine that CI installs has no buildx. */
function legacyBuilder(engine: Engine): { env?: NodeJS.ProcessEnv } {
  return engine.isOwn ? { env: { DOCKER_BUILDKIT: '0' } } : {};
}

export function boughtImages(): string[] {
  return [...new Set(composeServices().flatMap(({ image, build }) => (build === undefined ? [image] : [])))];
}

export function basesOfOurs(): string[] {
  const lines = readFileSync(join(projectRoot, 'deploy', 'Dockerfile'), 'utf8').split('\n');
  return [...new Set(lines.flatMap((line) => /^FROM (\S+)/.exec(line)?.[1] ?? []))];
}
