import type { Clock } from '@weir/clock';
import {
  chainalysisProvider,
  ellipticProvider,
  misttrackProvider,
  type ProviderLimits,
  readOwnCategories,
  type RiskProvider,
  specifiedProvider,
} from '@weir/risk-provider';
import { RiskClient } from '@weir/risk-client';
import { undiciFetch } from '@weir/risk-client/undici';
import { ConfigError } from '@weir/service-kit';
import type { ScoringSettings } from './config.ts';
import type { ProviderKind } from './provider-kinds.ts';

/** Settings of one provider. */
export interface ProviderSettings {
  /** Begins the names of its settings. */
  readonly prefix: 'WEIR_UPSTREAM' | 'WEIR_SECOND';
  readonly kind: ProviderKind;
  readonly url: string;
  readonly apiKey: string;
  readonly apiSecret: string;
  readonly keyIn: 'query' | 'header';
  readonly limits: ProviderLimits;
  readonly categories: string;
}

export function firstProvider(settings: ScoringSettings): ProviderSettings {
  return {
    prefix: 'WEIR_UPSTREAM',
    kind: settings.provider,
    url: settings.upstreamUrl,
    apiKey: settings.upstreamApiKey,
    apiSecret: settings.upstreamApiSecret,
    keyIn: settings.upstreamKeyIn,
    limits: { perSecond: settings.upstreamPerSecond, perDay: settings.upstreamPerDay },
    categories: settings.providerCategories,
  };
}

/** Undefined: none is configured. */
export function secondProvider(settings: ScoringSettings): ProviderSettings | undefined {
  if (settings.secondRole === 'none') return undefined;
  return {
    prefix: 'WEIR_SECOND',
    kind: settings.secondProvider,
    url: settings.secondUrl,
    apiKey: settings.secondApiKey,
    apiSecret: settings.secondApiSecret,
    keyIn: settings.secondKeyIn,
    limits: { perSecond: settings.secondPerSecond, perDay: settings.secondPerDay },
    categories: settings.providerCategories,
  };
}

type OnCall = (call: { operation: string; outcome: string; durationMs: number }) => void;

export interface OpenedProvider {
  readonly provider: RiskProvider;
  /** Of the risk API of Weir, or one like it. It also answers about prices and readiness. */
  readonly client: RiskClient | undefined;
}

/** Makes no call. Throws `ConfigError` for an address, a key or categories that no call can use. */
export function openProvider(of: ProviderSettings, { clock, onCall }: { clock: Clock; onCall?: OnCall }): OpenedProvider {
  const { kind, apiKey, apiSecret, limits } = of;
  try {
    const options = { fetch: undiciFetch(), clock, ...(onCall && { onCall }), baseUrl: of.url, apiKey };
    if (kind === 'specified' || kind === 'misttrack') {
      const client = new RiskClient({ ...options, keyIn: of.keyIn === 'header' ? 'header' : 'spec' });
      const named = { name: new URL(of.url).host, limits };
      if (kind === 'specified') return { client, provider: specifiedProvider(client, named) };
      return { client: undefined, provider: misttrackProvider(client, named) };
    }
    const categories = readOwnCategories(of.categories);
    const provider =
      kind === 'chainalysis'
        ? chainalysisProvider({ ...options, categories }, limits)
        : ellipticProvider({ ...options, apiSecret, categories }, limits);
    return { client: undefined, provider };
  } catch (error) {
    const named = error instanceof TypeError ? `${of.prefix}_URL or ${of.prefix}_API_KEY` : 'WEIR_PROVIDER_CATEGORIES';
    throw new ConfigError(`setting ${named} is wrong: ${(error as Error).message}`, { cause: error });
  }
}

/** Checks the settings of both providers as a start does. */
export function checkProviders(settings: ScoringSettings, clock: Clock): void {
  if (settings.upstreamUrl !== '') openProvider(firstProvider(settings), { clock });
  else if (settings.provider !== 'specified') throw new ConfigError('setting WEIR_UPSTREAM_URL is missing: the address of the provider');
  const second = secondProvider(settings);
  if (second !== undefined) openProvider(second, { clock });
}
