import { loadConfig } from '@weir/service-kit';
import { scoringSchema, type ScoringSettings } from './config.ts';

/** The defaults, with that risk API, and results that no test outlives. */
export function settingsFor(
  upstream: { readonly url: string; readonly apiKey: string },
  over: Partial<ScoringSettings> = {},
): ScoringSettings {
  const answers = { maxAnswerAgeMs: 86_400_000, maxResultAgeMs: 86_400_000, upstreamPollMs: 50 };
  return { ...loadConfig(scoringSchema, {}), upstreamUrl: upstream.url, upstreamApiKey: upstream.apiKey, ...answers, ...over };
}
