import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';

/** What /secrets/credentials/credentials.json holds: a token for each role, and a key for each surface of the risk API. */
interface Credentials {
  tokens: Record<string, string>;
  standard_api_key?: string;
  sandbox_api_key?: string;
}

const roles = ['ingest', 'gate', 'reviewer', 'approver', 'auditor', 'admin'];
const file = '/secrets/credentials/credentials.json';
const limitMs = 60_000;

/**
 * Runs at each `docker compose up` before the services: makes the topics, the tables and the credentials. What is there and known to the
 * database stays; what a new database does not know is made anew.
 */
async function main(): Promise<void> {
  // docker-compose.yml has one broker.
  await weir('topics', 'apply', '--replication-factor', '1');
  const credentials: Credentials = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Credentials) : { tokens: {} };
  const known = new Set((JSON.parse(await weir('keys', 'list', '--json')) as { id: string }[]).map(({ id }) => id));
  const ensure = async (present: string | undefined, ...what: readonly string[]): Promise<string> =>
    present !== undefined && known.has(idOf(present)) ? present : create(what);
  for (const role of roles) {
    credentials.tokens[role] = await ensure(credentials.tokens[role], '--role', role);
    save(credentials);
  }
  credentials.standard_api_key = await ensure(credentials.standard_api_key, '--surface', 'standard');
  credentials.sandbox_api_key = await ensure(credentials.sandbox_api_key, '--surface', 'sandbox');
  save(credentials);
  // Scoring asks our own risk API as its customer, unless it is told of another.
  write('/secrets/scoring/scoring.env', `WEIR_UPSTREAM_API_KEY=${credentials.standard_api_key}\n`);
}

/** As `weir keys list` shows it. */
function idOf(secret: string): string {
  return createHash('sha256').update(secret).digest('hex').slice(0, 16);
}

async function create(what: readonly string[]): Promise<string> {
  const answer = await weir('keys', 'create', ...what, '--name', 'docker compose', '--json');
  return (JSON.parse(answer) as { key: string }).key;
}

/** After each, so that an interrupted run leaves at most one behind that nobody holds. */
function save(credentials: Credentials): void {
  write(file, `${JSON.stringify(credentials, null, 2)}\n`);
}

function write(path: string, content: string): void {
  if (existsSync(path) && readFileSync(path, 'utf8') === content) return;
  writeFileSync(`${path}.new`, content, { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

/** Runs the command line of this image and returns what it prints. */
async function weir(...args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['packages/cli/bin/weir.js', ...args], { timeout: limitMs });
  return stdout;
}

await main().catch((error: unknown) => {
  // In the command line's own words, which never hold a secret.
  const { stderr, message } = error as { stderr?: string; message: string };
  process.stderr.write(`setup: ${stderr === undefined || stderr === '' ? message : stderr.trim()}\n`);
  process.exit(1);
});
