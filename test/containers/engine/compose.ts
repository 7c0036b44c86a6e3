import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { goEnv } from '../../support/stack/go.ts';
import { run, works } from './run.ts';

export type ComposeCommand = readonly [program: string, ...args: string[]];

const version = 'v2.40.3';
/** A build takes 2.5 minutes on two idle cores. */
const buildLimitMs = 20 * 60_000;

/** Installed Compose, else built from its Go module into `folder`. */
export async function findCompose(folder: string): Promise<ComposeCommand> {
  if (await works('docker', ['compose', 'version'])) return ['docker', 'compose'];
  const built = join(folder, 'docker-compose');
  if (!existsSync(built)) await build(folder, built);
  return [built];
}

async function build(folder: string, target: string): Promise<void> {
  if (!(await works('go', ['version']))) throw new Error('there is neither `docker compose` nor Go to build it with');
  const source = join(folder, 'compose-source');
  mkdirSync(source, { recursive: true });
  // Requires the module from another one: `replace` in its go.mod forbids direct installation.
  writeFileSync(join(source, 'go.mod'), `module weir.check/compose\n\ngo 1.24\n\nrequire github.com/docker/compose/v2 ${version}\n`);
  writeFileSync(join(source, 'tools.go'), '//go:build tools\n\npackage tools\n\nimport _ "github.com/docker/compose/v2/cmd"\n');
  const options = { cwd: source, env: { ...goEnv, GOFLAGS: `${goEnv['GOFLAGS']} -mod=mod` }, limitMs: buildLimitMs };
  await run('go', ['mod', 'tidy'], options);
  await run(
    'go',
    [
      'build',
      '-ldflags',
      `-s -w -X github.com/docker/compose/v2/internal.Version=${version}`,
      '-o',
      target,
      'github.com/docker/compose/v2/cmd',
    ],
    options,
  );
}
