import { execFile } from 'node:child_process';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

const credentials = '/secrets/credentials/credentials.json';
const scoring = '/secrets/scoring/scoring.env';
const limitMs = 180_000;

/** Runs at each `docker compose up` before the services; keeps existing topics, ACLs and credentials. */
async function main(): Promise<void> {
  await weir('topics', 'apply', '--replication-factor', process.env['WEIR_BROKER_REPLICAS'] ?? '1');
  await weir('topics', 'acls');
  await weir('keys', 'ensure', credentials, '--name', 'docker compose');
  // By default scoring is a customer of our own risk API.
  const { standard_api_key } = JSON.parse(readFileSync(credentials, 'utf8')) as { standard_api_key: string };
  write(scoring, `WEIR_UPSTREAM_API_KEY=${standard_api_key}\n`);
}

function write(path: string, content: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return;
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

async function weir(...args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ['packages/cli/bin/weir.js', ...args], { timeout: limitMs });
}

await main().catch((error: unknown) => {
  // The command line's messages never hold a secret.
  const { stderr, message } = error as { stderr?: string; message: string };
  process.stderr.write(`setup: ${stderr === undefined || stderr === '' ? message : stderr.trim()}\n`);
  process.exit(1);
});
