import type { Clock } from '@weir/clock';
import {
  chainalysisProvider,
  ellipticProvider,
  limitsOfPlan,
  misttrackProvider,
  type PlanName,
  type ProviderLimits,
  readOwnCategories,
  type RiskProvider,
  specifiedProvider,
} from '@weir/risk-provider';
import { RiskClient } from '@weir/risk-client';
import { undiciFetch } from '@weir/risk-client/undici';
import { ConfigError } from '@weir/service-kit';
import { tracedFetch } from '@weir/tracing';
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
  /** As set, and at most those of the plan. */
  readonly limits: ProviderLimits;
  /** A line for each setting above the plan's limit. */
  readonly capped: readonly string[];
  readonly categories: string;
}

/** Throws `ConfigError` for a plan that the provider does not have. */
export function firstProvider(settings: ScoringSettings): ProviderSettings {
  return {
    prefix: 'WEIR_UPSTREAM',
    kind: settings.provider,
    url: settings.upstreamUrl,
    apiKey: settings.upstreamApiKey,
    apiSecret: settings.upstreamApiSecret,
    keyIn: settings.upstreamKeyIn,
    ...within('WEIR_UPSTREAM', settings.provider, settings.upstreamPlan, {
      perSecond: settings.upstreamPerSecond,
      perDay: settings.upstreamPerDay,
    }),
    categories: settings.providerCategories,
  };
}

/** Undefined: none is configured. Throws `ConfigError` for a plan that the provider does not have. */
export function secondProvider(settings: ScoringSettings): ProviderSettings | undefined {
  if (settings.secondRole === 'none') return undefined;
  return {
    prefix: 'WEIR_SECOND',
    kind: settings.secondProvider,
    url: settings.secondUrl,
    apiKey: settings.secondApiKey,
    apiSecret: settings.secondApiSecret,
    keyIn: settings.secondKeyIn,
    ...within('WEIR_SECOND', settings.secondProvider, settings.secondPlan, {
      perSecond: settings.secondPerSecond,
      perDay: settings.secondPerDay,
    }),
    categories: settings.providerCategories,
  };
}

/** The limits of the settings, capped by those of the plan. */
function within(prefix: ProviderSettings['prefix'], kind: ProviderKind, plan: PlanName, limits: ProviderLimits) {
  const most = limitsOfPlan(kind, plan);
  if (most === undefined) throw new ConfigError(`setting ${prefix}_PLAN is wrong: ${kind} has no plan ${plan}`);
  const { perSecond = limits.perSecond, perDay = limits.perDay } = most;
  const line = (setting: string, set: number, allowed: number): string[] =>
    set <= allowed ? [] : [`${prefix}_${setting} is ${set}; the plan ${plan} of ${kind} allows ${allowed}, so ${allowed} holds`];
  return {
    limits: { perSecond: Math.min(perSecond, limits.perSecond), perDay: Math.min(perDay, limits.perDay) },
    capped: [...line('PER_SECOND', limits.perSecond, perSecond), ...line('PER_DAY', limits.perDay, perDay)],
  };
}

type OnCall = (call: { operation: string; outcome: string; durationMs: number }) => void;

export interface OpenedProvider {
  readonly provider: RiskProvider;
  /** Of the risk API of Weir, or one like it. It also answers about prices and readiness. */
  readonly client: RiskClient | undefined;
  /** The same, for questions of people about an address. A trace takes half a minute. */
  readonly explorer: RiskClient | undefined;
}

const explorerLimits = { timeoutMs: 30_000, maxBytes: 10_000_000 };

/** Makes no call. Throws `ConfigError` for an address, a key or categories that no call can use. */
export function openProvider(of: ProviderSettings, { clock, onCall }: { clock: Clock; onCall?: OnCall }): OpenedProvider {
  const { kind, apiKey, apiSecret, limits } = of;
  try {
    // Only Weir's own risk API, or one like it, is told of the trace.
    const fetch = tracedFetch(undiciFetch(), { service: 'scoring', tells: kind === 'specified' });
    const options = { fetch, clock, ...(onCall && { onCall }), baseUrl: of.url, apiKey };
    if (kind === 'specified' || kind === 'misttrack') {
      const client = new RiskClient({ ...options, keyIn: of.keyIn === 'header' ? 'header' : 'spec' });
      const named = { name: new URL(of.url).host, limits };
      if (kind === 'misttrack') return { client: undefined, explorer: undefined, provider: misttrackProvider(client, named) };
      const explorer = new RiskClient({ ...options, ...explorerLimits, keyIn: of.keyIn === 'header' ? 'header' : 'spec' });
      return { client, explorer, provider: specifiedProvider(client, named) };
    }
    const categories = readOwnCategories(of.categories);
    const provider =
      kind === 'chainalysis'
        ? chainalysisProvider({ ...options, categories }, limits)
        : ellipticProvider({ ...options, apiSecret, categories }, limits);
    return { client: undefined, explorer: undefined, provider };
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
