import { simulateSpecified } from '@weir/risk-provider/testing';
import { loadConfig } from '@weir/service-kit';
import { expect, test } from 'vitest';
import { openHarness } from './harness.testing.ts';
import { firstProvider, scoringSchema, type ScoringSettings, secondProvider } from './index.ts';

const settingsOf = (over: Partial<ScoringSettings>): ScoringSettings => ({ ...loadConfig(scoringSchema, {}), ...over });
const above = { upstreamPerSecond: 50, upstreamPerDay: 90_000 };

test.each([
  ['specified', 'standard', 50, 90_000],
  ['chainalysis', 'standard', 50, 90_000],
  ['elliptic', 'standard', 8, 90_000],
  ['elliptic', 'enterprise', 50, 90_000],
  ['misttrack', 'standard', 1, 10_000],
  ['misttrack', 'compliance', 5, 50_000],
  ['misttrack', 'enterprise', 50, 90_000],
] as const)('the plan of %s, %s, leaves %d in a second and %d in a day, and names each setting above it', (provider, plan, second, day) => {
  const { limits, capped } = firstProvider(settingsOf({ provider, upstreamPlan: plan, ...above }));
  expect(limits).toEqual({ perSecond: second, perDay: day });
  const line = (setting: string, set: number, most: number) =>
    most < set ? [`WEIR_UPSTREAM_${setting} is ${set}; the plan ${plan} of ${provider} allows ${most}, so ${most} holds`] : [];
  expect(capped).toEqual([...line('PER_SECOND', 50, second), ...line('PER_DAY', 90_000, day)]);
});

test('lower settings stay, and the second provider has a plan of its own', () => {
  expect(
    firstProvider(settingsOf({ provider: 'misttrack', upstreamPlan: 'compliance', upstreamPerSecond: 2, upstreamPerDay: 500 })),
  ).toMatchObject({
    limits: { perSecond: 2, perDay: 500 },
    capped: [],
  });
  const second = secondProvider(
    settingsOf({ secondRole: 'shadow', secondProvider: 'misttrack', secondPerSecond: 8, secondPerDay: 10_000 }),
  );
  expect(second).toMatchObject({
    limits: { perSecond: 1, perDay: 10_000 },
    capped: ['WEIR_SECOND_PER_SECOND is 8; the plan standard of misttrack allows 1, so 1 holds'],
  });
});

test('a plan that the provider does not have is a wrong setting', () => {
  expect(() => firstProvider(settingsOf({ provider: 'elliptic', upstreamPlan: 'compliance' }))).toThrow(
    'setting WEIR_UPSTREAM_PLAN is wrong: elliptic has no plan compliance',
  );
});

test('the budget of the deciding provider is that of its plan', async () => {
  const harness = await openHarness();
  const api = await simulateSpecified({ apiKey: 'key-of-misttrack' });
  try {
    const keys = { upstreamApiKey: 'key-of-misttrack', upstreamUrl: api.url };
    const { metrics } = await harness.replica({ ...keys, provider: 'misttrack', upstreamPlan: 'compliance', ...above });
    const text = await metrics.scrape();
    expect(text).toContain('weir_budget_limit{window="second"} 5\n');
    expect(text).toContain('weir_budget_limit{window="day"} 50000\n');
  } finally {
    await harness.close();
    await api.close();
  }
});
