import type { RiskLevel } from '@weir/risk-client';
import { sampleDeposits } from '@weir/sample';
import { agreementSince } from '@weir/scoring';
import { publishTo, readTopic } from '@weir/service-kit/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { aRequest } from '../../services/scoring/src/harness.testing.ts';
import { failOver, opinion, openTwoProviders, type TwoProviders } from './two-providers.testing.ts';

let providers: TwoProviders;
afterEach(() => providers.close());

test('a shadow run over the sample compares every answer of the deciding provider', async () => {
  providers = await openTwoProviders('shadow');
  const { pipeline, firstApi } = providers;
  const requests = [];
  for await (const deposit of sampleDeposits()) {
    const { chain, coin, from_address: subject } = deposit;
    if (['ethereum', 'bitcoin', 'tron'].includes(chain) && requests.length < 300) requests.push(aRequest({ chain, coin, subject }));
  }
  expect(requests.length).toBeGreaterThan(50);
  await publishTo(pipeline, 'screenings.requested', ...requests);
  const subjects = new Set(requests.map(({ subject }) => subject));
  const { agreement, scored } = await vi.waitFor(
    async () => {
      const told = (await readTopic(pipeline, 'screenings.scored')).map(({ data }) => data);
      expect(told).toHaveLength(requests.length);
      const found = await agreementSince(pipeline.pool, new Date(0));
      expect(found.unanswered).toBe(0);
      expect(found.compared).toBeGreaterThanOrEqual(subjects.size);
      return { agreement: found, scored: told };
    },
    { timeout: 120_000, interval: 200 },
  );
  expect(new Set(scored.map(({ provider }) => provider))).toEqual(new Set([new URL(firstApi.url).host]));
  const levelOf = (of: string, subject: string): RiskLevel | null => opinion(of)(subject).level;
  const differing = [...subjects].filter((subject) => levelOf('first', subject) !== levelOf('second', subject));
  expect(differing.length).toBeGreaterThan(0);
  expect(agreement.compared - agreement.same_level).toBeGreaterThanOrEqual(differing.length);
  process.stdout.write(`agreement over the sample: ${JSON.stringify(agreement)}\n`);
});

test('a failover under load allows nothing on the word of a provider that is away', async () => {
  providers = await openTwoProviders('fallback');
  await failOver(providers);
});
