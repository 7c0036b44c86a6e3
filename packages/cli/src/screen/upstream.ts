import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PlaceFlags } from '../flags.ts';
import type { AllSettings } from '../settings.ts';
import { type Credentials, findRunning } from '@weir/installation';

export interface Upstream {
  readonly url: string;
  readonly apiKey: string;
  readonly keyIn: 'spec' | 'header';
}

/** The API of WEIR_UPSTREAM_URL, unless it is unset or a data folder is named: then that of the Weir on the folder. */
export function findUpstream(flags: PlaceFlags, settings: AllSettings): Upstream {
  const { provider, upstreamUrl, upstreamApiKey, upstreamKeyIn, dataDir } = settings;
  if (flags.dataDir === undefined && upstreamUrl !== '') {
    if (provider !== 'specified' && provider !== 'misttrack')
      throw new Error(`this command asks an API of the specified shape; WEIR_PROVIDER is ${provider}`);
    if (upstreamApiKey === '') throw new Error('setting WEIR_UPSTREAM_API_KEY is not set: the key of the risk API at WEIR_UPSTREAM_URL');
    return { url: upstreamUrl, apiKey: upstreamApiKey, keyIn: upstreamKeyIn === 'header' ? 'header' : 'spec' };
  }
  const running = findRunning(dataDir);
  if (running === undefined) {
    throw new Error(
      `no Weir runs on ${dataDir}; start it (npm start), name its --data-dir, or set WEIR_UPSTREAM_URL and WEIR_UPSTREAM_API_KEY`,
    );
  }
  return { url: running.riskUrl, apiKey: readKey(dataDir), keyIn: 'header' };
}

function readKey(dataDir: string): string {
  const file = join(dataDir, 'dev-credentials.json');
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Credentials).standard_api_key;
  } catch (error) {
    throw new Error(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'not JSON'}`, { cause: error });
  }
}
