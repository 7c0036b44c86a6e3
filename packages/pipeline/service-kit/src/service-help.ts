import type { Schema } from 'convict';
import { listSettings, loadConfig } from './config.ts';

/** Wrong usage of a service's program; exit code 2. */
export class ServiceUsageError extends Error {
  readonly code = 'USAGE';
  readonly retriable = false;
}

/**
 * The text for `--help` of a service that runs by itself, or undefined without arguments. Throws `ServiceUsageError` for any other argument,
 * because settings are environment variables alone.
 */
export function serviceHelp<T extends object>(
  args: readonly string[],
  {
    name,
    program = `services/${name}/src/main.ts`,
    purpose,
    schema,
  }: { name: string; program?: string; purpose: string; schema: Schema<T> },
): string | undefined {
  const [first] = args;
  if (first === undefined) return undefined;
  if (first !== '--help' && first !== '-h')
    throw new ServiceUsageError(`unknown argument '${first}'; settings are environment variables. Run 'node ${program} --help' for usage.`);
  const settings = listSettings(schema, loadConfig(schema, {})).map(({ env, value, doc }) => `  ${env}=${value}\n      ${doc}\n`);
  return `Usage: node ${program}\n\n${purpose}\nIt serves /healthz, /readyz, /metrics, /docs and /openapi.json. SIGTERM or Ctrl-C stops it.\n\nSettings are environment variables, with their defaults:\n${settings.join('')}
Example:
  $ DATABASE_URL=postgres://weir:secret@db.internal/weir node ${program}
`;
}
