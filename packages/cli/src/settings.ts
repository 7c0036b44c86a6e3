import { type InstallationSettings, installationSchema } from '@weir/installation';
import type { Schema } from '@weir/service-kit';
import { ConfigError, loadConfig } from '@weir/service-kit/config';
import { checkVariables } from '@weir/service-kit/variables';
import { highestPort } from './flags.ts';
import { note } from './output.ts';
import { type PaySettings, payingSchema } from './screen/pay/settings.ts';

/** Settings of every command. */
export type AllSettings = InstallationSettings & { consoleUrl: string; token: string } & PaySettings;

export const allSchema = {
  ...installationSchema,
  consoleUrl: {
    doc: 'Where the console is, for "weir reviews" and "weir webhooks"; empty: the Weir of the data folder',
    format: 'http-url',
    default: '',
    env: 'WEIR_CONSOLE_URL',
  },
  token: {
    doc: 'Your own token, for "weir reviews", "weir webhooks" and "weir policy activate"',
    format: String,
    default: '',
    env: 'WEIR_TOKEN',
    sensitive: true,
  },
  ...payingSchema,
} as unknown as Schema<AllSettings>;

/**
 * Settings from the environment and from flags, which take precedence. Flags pass the same validation. Names unknown variables on stderr.
 */
export function loadSettings(flags: { port?: number; dataDir?: string; processes?: number }): AllSettings {
  const env = {
    ...process.env,
    ...(flags.port === undefined ? {} : { WEIR_PORT: String(flags.port) }),
    ...(flags.dataDir === undefined ? {} : { WEIR_DATA_DIR: flags.dataDir }),
    ...(flags.processes === undefined ? {} : { WEIR_PROCESSES: String(flags.processes) }),
  };
  for (const warning of checkVariables(process.env)) note(`weir: ${warning}`);
  const settings = loadConfig<AllSettings>(allSchema, env);
  if (settings.port > highestPort)
    throw new ConfigError(`setting WEIR_PORT is wrong: must be at most ${highestPort}, for the risk API listens on port + 100`);
  if (settings.upstreamUrl !== '' && settings.upstreamApiKey === '')
    throw new ConfigError('setting WEIR_UPSTREAM_API_KEY is not set: the risk API of WEIR_UPSTREAM_URL needs a key');
  return settings;
}
