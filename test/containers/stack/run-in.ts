import type { Stack } from './stack.ts';

/** Services, and the folder of each one's secrets. */
export const secretFolders = {
  'deposit-ingest': 'ingest',
  'withdrawal-gate': 'gate',
  scoring: 'scoring',
  decision: 'decision',
  'audit-writer': 'audit',
  console: 'console',
  'risk-api': 'risk-api',
} as const;
export type Service = keyof typeof secretFolders;

/** Runs a module in the service's container with the service's settings and `env`; returns its output. */
export async function runIn(stack: Stack, service: Service, source: string, env: Readonly<Record<string, string>> = {}): Promise<string> {
  const overrides = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const files = ['database', 'redis', 'kafka'].map((name) => `--env-file-if-exists=/secrets/${secretFolders[service]}/${name}.env`);
  const node = ['node', '--no-warnings', ...files, '--input-type=module', '-'];
  return (await stack.compose(['exec', '-T', ...overrides, service, ...node], { input: source })).trim();
}
