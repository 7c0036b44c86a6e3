import type { Clock } from '@weir/clock';
import { RiskClient, type RiskClientOptions } from '@weir/risk-client';
import { undiciFetch } from '@weir/risk-client/undici';
import { ConfigError } from '@weir/service-kit';
import type { ScoringSettings } from './config.ts';

type UpstreamSettings = Pick<ScoringSettings, 'upstreamUrl' | 'upstreamApiKey' | 'upstreamKeyIn'>;

/** Throws `ConfigError` for an address or a key that no call can use. */
export function createUpstreamClient(
  { upstreamUrl, upstreamApiKey, upstreamKeyIn }: UpstreamSettings,
  options: { clock: Clock; onCall?: NonNullable<RiskClientOptions['onCall']> },
): RiskClient {
  try {
    return new RiskClient({
      fetch: undiciFetch(),
      ...options,
      baseUrl: upstreamUrl,
      apiKey: upstreamApiKey,
      keyIn: upstreamKeyIn === 'header' ? 'header' : 'spec',
    });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new ConfigError(`setting WEIR_UPSTREAM_URL or WEIR_UPSTREAM_API_KEY is wrong: ${error.message}`, { cause: error });
  }
}
