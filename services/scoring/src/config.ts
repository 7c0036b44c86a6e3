import { type PlanName, planNames } from '@weir/risk-provider';
import type { Schema } from '@weir/service-kit';
import { type ProviderKind, providerKinds } from './provider-kinds.ts';

export interface ScoringSettings {
  provider: ProviderKind;
  providerCategories: string;
  upstreamApiSecret: string;
  upstreamPlan: PlanName;
  secondRole: 'none' | 'fallback' | 'shadow';
  secondProvider: ProviderKind;
  secondUrl: string;
  secondApiKey: string;
  secondApiSecret: string;
  secondKeyIn: 'query' | 'header';
  secondPlan: PlanName;
  secondPerSecond: number;
  secondPerDay: number;
  fallbackAfterMs: number;
  upstreamUrl: string;
  upstreamApiKey: string;
  upstreamKeyIn: 'query' | 'header';
  upstreamPerSecond: number;
  upstreamPerDay: number;
  tokenShareOfDay: number;
  upstreamPollMs: number;
  maxAnswerAgeMs: number;
  maxResultAgeMs: number;
  freshResultFromUsd: number;
  freshResultForUnknownValue: boolean;
  rescreenPollMs: number;
  rescreenMaxAgeMs: number;
}

export const scoringSchema: Schema<ScoringSettings> = {
  provider: {
    doc: 'API of the provider at WEIR_UPSTREAM_URL: specified (that of Weir), misttrack, chainalysis (KYT) or elliptic (AML)',
    format: [...providerKinds],
    default: 'specified',
    env: 'WEIR_PROVIDER',
  },
  providerCategories: {
    doc: 'JSON file of further categories of Chainalysis or Elliptic: each name with a risk type or null; empty: none',
    format: String,
    default: '',
    env: 'WEIR_PROVIDER_CATEGORIES',
  },
  upstreamApiSecret: {
    doc: 'Secret that signs the calls of that provider; Elliptic only, base64',
    format: String,
    default: '',
    env: 'WEIR_UPSTREAM_API_SECRET',
    sensitive: true,
  },
  upstreamPlan: {
    doc: 'Plan at that provider, of MistTrack (standard, compliance, enterprise) or Elliptic (standard, enterprise); its published limits cap the two settings of the limits',
    format: [...planNames],
    default: 'standard',
    env: 'WEIR_UPSTREAM_PLAN',
  },
  secondRole: {
    doc: 'What a second provider is for: none, fallback (decides while the first is unavailable) or shadow (is compared, decides nothing)',
    format: ['none', 'fallback', 'shadow'],
    default: 'none',
    env: 'WEIR_SECOND_ROLE',
  },
  secondProvider: {
    doc: 'API of the second provider, as in WEIR_PROVIDER',
    format: [...providerKinds],
    default: 'specified',
    env: 'WEIR_SECOND_PROVIDER',
  },
  secondUrl: { doc: 'Address of the second provider', format: 'http-url', default: '', env: 'WEIR_SECOND_URL' },
  secondApiKey: { doc: 'Key of the second provider', format: String, default: '', env: 'WEIR_SECOND_API_KEY', sensitive: true },
  secondApiSecret: {
    doc: 'Secret that signs the calls of the second provider; Elliptic only, base64',
    format: String,
    default: '',
    env: 'WEIR_SECOND_API_SECRET',
    sensitive: true,
  },
  secondKeyIn: {
    doc: 'Where the key of a second provider with the specified API goes, as in WEIR_UPSTREAM_KEY_IN',
    format: ['query', 'header'],
    default: 'query',
    env: 'WEIR_SECOND_KEY_IN',
  },
  secondPlan: {
    doc: 'Plan at the second provider, as in WEIR_UPSTREAM_PLAN',
    format: [...planNames],
    default: 'standard',
    env: 'WEIR_SECOND_PLAN',
  },
  secondPerSecond: {
    doc: 'Assessments that the second provider may be asked for in any sliding second',
    format: 'per-second',
    default: 8,
    env: 'WEIR_SECOND_PER_SECOND',
  },
  secondPerDay: {
    doc: 'Assessments that the second provider may be asked for in a UTC day',
    format: 'positive-int',
    default: 10_000,
    env: 'WEIR_SECOND_PER_DAY',
  },
  fallbackAfterMs: {
    doc: 'How long the first provider must be unavailable before the fallback is asked',
    format: 'non-negative-int',
    default: 5_000,
    env: 'WEIR_FALLBACK_AFTER_MS',
  },
  upstreamUrl: { doc: 'Address of the risk API to ask; empty: our own', format: 'http-url', default: '', env: 'WEIR_UPSTREAM_URL' },
  upstreamApiKey: { doc: 'Key of that risk API', format: String, default: '', env: 'WEIR_UPSTREAM_API_KEY', sensitive: true },
  upstreamKeyIn: {
    doc: 'Where that key goes: query (for GET; in the body for POST), as its specification says, or header (X-API-Key)',
    format: ['query', 'header'],
    default: 'query',
    env: 'WEIR_UPSTREAM_KEY_IN',
  },
  upstreamPerSecond: {
    doc: 'Tasks that may be created there in any sliding second; at most a million',
    format: 'per-second',
    default: 10,
    env: 'WEIR_UPSTREAM_PER_SECOND',
  },
  upstreamPerDay: {
    doc: 'Tasks that may be created there in a UTC day',
    format: 'positive-int',
    default: 10_000,
    env: 'WEIR_UPSTREAM_PER_DAY',
  },
  tokenShareOfDay: {
    doc: 'Share of WEIR_UPSTREAM_PER_DAY, in percent, that the lookups of one token may use in a UTC day; further ones go in the lane of re-screenings. Holds where there are two or more tokens for ingest or gate. A token made with --per-day has its own limit',
    format: (value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > 100)
        throw new Error('must be a whole number from 1 to 100');
    },
    default: 50,
    env: 'WEIR_TOKEN_SHARE_OF_DAY',
  },
  upstreamPollMs: {
    doc: 'How often a running task is asked for; steady, for tasks are short and waiting longer and longer only adds delay',
    format: 'positive-int',
    default: 500,
    env: 'WEIR_UPSTREAM_POLL_MS',
  },
  maxAnswerAgeMs: {
    doc: 'An answer of the risk API whose result was computed longer ago is stale and never counts; the specified API keeps results for an hour',
    format: 'positive-int',
    default: 3_600_000,
    env: 'WEIR_MAX_ANSWER_AGE_MS',
  },
  maxResultAgeMs: {
    doc: 'How long after it was computed (scanned_ts) a result answers further transfers of the same subject and direction',
    format: 'positive-int',
    default: 600_000,
    env: 'WEIR_MAX_RESULT_AGE_MS',
  },
  freshResultFromUsd: {
    doc: 'Transfers of this USD value or more, declared or by the known price, are never answered by an earlier result',
    format: 'non-negative-int',
    default: 10_000,
    env: 'WEIR_FRESH_RESULT_FROM_USD',
  },
  freshResultForUnknownValue: {
    doc: 'Whether transfers of unknown value are never answered by an earlier result either; costs a create for each',
    format: Boolean,
    default: false,
    env: 'WEIR_FRESH_RESULT_FOR_UNKNOWN_VALUE',
  },
  rescreenPollMs: {
    doc: 'How often the risk API is asked which scores have changed; costs no budget',
    format: 'positive-int',
    default: 2_000,
    env: 'WEIR_RESCREEN_POLL_MS',
  },
  rescreenMaxAgeMs: {
    doc: 'Transfers older than this are not screened again when a score changes; the risk API of Weir watches for 90 days',
    format: 'positive-int',
    default: 7_776_000_000,
    env: 'WEIR_RESCREEN_MAX_AGE_MS',
  },
};
