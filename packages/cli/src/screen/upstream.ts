import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Credentials, findRunning } from '@weir/installation';
import { firstProvider, type ProviderSettings } from '@weir/scoring';
import type { PlaceFlags } from '../flags.ts';
import type { AllSettings } from '../settings.ts';

/** The provider of WEIR_UPSTREAM_URL, unless it is unset or a data folder is named: then the Weir on the folder. */
export function findUpstream(flags: PlaceFlags, settings: AllSettings): ProviderSettings {
  const { upstreamUrl, upstreamApiKey, dataDir } = settings;
  if (flags.dataDir === undefined && upstreamUrl !== '') {
    if (upstreamApiKey === '') throw new Error('setting WEIR_UPSTREAM_API_KEY is not set: the key of the risk API at WEIR_UPSTREAM_URL');
    return firstProvider(settings);
  }
  const running = findRunning(dataDir);
  if (running === undefined) {
    throw new Error(
      `no Weir runs on ${dataDir}; start it (npm start), name its --data-dir, or set WEIR_UPSTREAM_URL and WEIR_UPSTREAM_API_KEY`,
    );
  }
  return firstProvider({
    ...settings,
    provider: 'specified',
    upstreamUrl: running.riskUrl,
    upstreamApiKey: readKey(dataDir),
    upstreamKeyIn: 'header',
  });
}

function readKey(dataDir: string): string {
  const file = join(dataDir, 'dev-credentials.json');
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Credentials).standard_api_key;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'not JSON'}`, { cause: error });
  }
}
