import { createHash } from 'node:crypto';
import type { RiskLevel } from '@weir/risk-client';
import { type Script, simulateElliptic, simulateSpecified, type SimulatedApi } from '@weir/risk-provider/testing';
import { decisionMigrations, startDecision } from '@weir/decision';
import { rateBudgetMigrations } from '@weir/rate-budget';
import { scoringMigrations, startScoring } from '@weir/scoring';
import type { KafkaTier, OpenPipeline } from '@weir/service-kit';
import { openTestStack, publishTo, readTopic } from '@weir/service-kit/testing';
import { expect, vi } from 'vitest';
import { aRequest } from '../../services/scoring/src/harness.testing.ts';
import { settingsFor } from '../../services/scoring/src/settings.testing.ts';

const firstKey = 'key-of-the-first';
const second = { apiKey: 'key-of-the-second', apiSecret: 'c2VjcmV0' };

export interface TwoProviders {
  readonly firstApi: SimulatedApi;
  readonly secondApi: SimulatedApi;
  readonly pipeline: OpenPipeline;
  close(): Promise<void>;
}

/** The same for a subject at every call, and different for the two providers now and then. */
export function opinion(of: string): (subject: string) => Script {
  const levels: readonly RiskLevel[] = ['Low', 'Low', 'Low', 'Moderate', 'High', 'Severe'];
  return (subject) => {
    const byte = (text: string): number => createHash('sha256').update(text).digest()[0] ?? 0;
    const differs = byte(`${of} ${subject}`) % 8 === 0;
    const level = levels[(byte(subject) + Number(differs)) % levels.length] ?? 'Low';
    return level === 'Low' ? { level } : { level, riskType: level === 'Severe' ? 'sanctioned_entity' : 'mixer' };
  };
}

/** Scoring and decision with a deciding provider of the specified API, and Elliptic in this role. */
export async function openTwoProviders(role: 'fallback' | 'shadow', tier?: KafkaTier): Promise<TwoProviders> {
  const stack = await openTestStack(tier === undefined ? {} : { tier });
  const firstApi = await simulateSpecified({ apiKey: firstKey });
  const secondApi = await simulateElliptic(second);
  firstApi.answer(opinion('first'));
  secondApi.answer(opinion('second'));
  const settings = settingsFor(
    { url: firstApi.url, apiKey: firstKey },
    {
      upstreamPerSecond: 1_000,
      upstreamPerDay: 1_000_000,
      secondRole: role,
      secondProvider: 'elliptic',
      secondUrl: secondApi.url,
      secondApiKey: second.apiKey,
      secondApiSecret: second.apiSecret,
      secondPlan: 'enterprise',
      secondPerSecond: 1_000,
      secondPerDay: 1_000_000,
      fallbackAfterMs: 200,
    },
  );
  const { pipeline } = await stack.service((one) => startScoring(one, settings), {
    role: { service: 'scoring', modules: { scoring: scoringMigrations, 'rate-budget': rateBudgetMigrations } },
  });
  await stack.service((one) => startDecision(one, { policyFile: '', reviewSingleBelowUsd: '' }), {
    role: { service: 'decision', modules: { decision: decisionMigrations } },
  });
  const close = async (): Promise<void> => {
    await stack.close();
    await firstApi.close();
    await secondApi.close();
  };
  return { firstApi, secondApi, pipeline, close };
}

/** The first provider goes away under load and comes back. Nothing may be allowed on its word meanwhile. */
export async function failOver({ firstApi, secondApi, pipeline }: TwoProviders): Promise<void> {
  const [firstName, secondName] = [new URL(firstApi.url).host, new URL(secondApi.url).host];
  let sent = 0;
  const load = async (count: number): Promise<Set<string>> => {
    sent += count;
    const requests = Array.from({ length: count }, () => aRequest());
    await publishTo(pipeline, 'screenings.requested', ...requests);
    return new Set(requests.map(({ screening_id }) => screening_id));
  };
  const untilScored = (count: number) =>
    vi.waitFor(
      async () => {
        const told = (await readTopic(pipeline, 'screenings.scored')).map(({ data }) => data);
        expect(told.filter(({ outcome }) => outcome === 'SCORED').length).toBeGreaterThanOrEqual(count);
        return told;
      },
      { timeout: 120_000, interval: 100 },
    );
  await load(100);
  await untilScored(50);
  // Some are in flight.
  await firstApi.away();
  const during = await load(100);
  const away = (await untilScored(sent)).filter(({ screening_id, outcome }) => during.has(screening_id) && outcome === 'SCORED');
  expect(away).toHaveLength(100);
  expect(new Set(away.map(({ provider }) => provider))).toEqual(new Set([secondName]));
  await firstApi.back();
  await load(20);
  const scored = await untilScored(sent);
  const decided = await vi.waitFor(
    async () => {
      const all = (await readTopic(pipeline, 'screenings.decided')).map(({ data }) => data);
      expect(new Set(all.map(({ screening_id }) => screening_id)).size).toBe(sent);
      return all;
    },
    { timeout: 60_000, interval: 100 },
  );
  // Each allowed transfer has evidence of a provider that answered about its subject.
  const answeredBy = (api: typeof firstApi): Set<string> =>
    new Set(api.received.filter(({ method }) => method === 'POST').flatMap(({ body }) => /0x[0-9a-f]{40}/.exec(body)?.[0] ?? []));
  const answered = new Map([
    [firstName, answeredBy(firstApi)],
    [secondName, answeredBy(secondApi)],
  ]);
  const allowed = decided.filter(({ action }) => action === 'allow');
  expect(allowed.length).toBeGreaterThan(0);
  for (const { screening_id } of allowed) {
    const evidence = scored.find((one) => one.screening_id === screening_id && one.outcome === 'SCORED');
    expect(evidence?.evidence_sha256).toMatch(/^[0-9a-f]{64}$/);
    expect(answered.get(evidence?.provider ?? '')?.has(evidence?.subject ?? '')).toBe(true);
  }
}
