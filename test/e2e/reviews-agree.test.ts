import { consoleSchema, startConsole } from '@weir/console';
import { type RiskLevel, screeningId } from '@weir/contracts';
import { requested, scored } from '@weir/contracts/testing';
import { startDecision } from '@weir/decision';
import { createApp, createLogger, loadConfig, storeToken } from '@weir/service-kit';
import { caughtUp, deadLetters, openTestStack, type TestService, type TestStack, publishTo } from '@weir/service-kit/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';

/** A console and decision where one person suffices for all transfers, unless another rule requires two. */
let stack: TestStack;
let console: TestService;
let app: ReturnType<typeof createApp>;
beforeAll(async () => {
  stack = await openTestStack();
  const reviewSingleBelowUsd = '1000';
  console = await stack.service((pipeline) => startConsole(pipeline, { ...loadConfig(consoleSchema, {}), reviewSingleBelowUsd }));
  app = createApp(createLogger({ service: 'test', level: 'silent' }), console.service.operations);
  await stack.service((pipeline) => startDecision(pipeline, { policyFile: '', reviewSingleBelowUsd }));
  for (const who of people) await storeToken(stack.db.pool, `token-${who}`, 'approver', who);
});
afterAll(() => stack.close());

const people = ['ann', 'ben'] as const;
const who = fc.constantFrom(...people);
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      what: fc.constant('scored' as const),
      level: fc.constantFrom<RiskLevel>('Low', 'High', 'High', 'Severe'),
      isExposed: fc.constantFrom(true, false, false),
    }),
  },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('resolve' as const), who, action: fc.constantFrom('allow', 'block') }) },
  fc.record({ what: fc.constant('reopen' as const), who }),
  { weight: 2, arbitrary: fc.record({ what: fc.constant('approve' as const), who }) },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function ask(method: string, path: string, by: string, body?: object) {
  const answer = await app.request(path, {
    method,
    headers: { authorization: `Bearer token-${by}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  // oxlint-disable-next-line typescript/no-explicit-any -- tests check the shape of the answer
  return { status: answer.status, body: (await answer.json()) as any };
}

async function settle(): Promise<void> {
  for (const group of ['decision', 'console']) await caughtUp(console.pipeline, group);
}

const scores: Readonly<Record<string, number>> = { Low: 3, High: 80, Severe: 100 };
// Three hops away: the policy does not block it.
const sanctioned = {
  entity: 'S',
  risk_type: 'sanctioned_entity',
  exposure_type: 'indirect',
  hop_num: 3,
  volume_usd: 1,
  percent: 1,
  side: null,
} as const;

async function score(name: string, sequence: number, { level, isExposed }: Extract<Step, { what: 'scored' }>): Promise<void> {
  const result = scored(name, 1, sequence, {
    transfer: { ...requested(name).transfer, usd_value: '5' },
    score: scores[level] ?? 0,
    risk_level: level,
    risk_detail: isExposed ? [sanctioned] : [],
  });
  await publishTo(console.pipeline, 'screenings.scored', result);
}

let round = 0;

/** Runs the steps in order. Returns the states of the resolutions, oldest first. */
async function run(steps: readonly Step[]): Promise<{ state: string; needs_approval: boolean }[]> {
  round += 1;
  const path = `/v1/reviews/${screeningId('deposit', `a-${round}`)}`;
  for (const [n, one] of steps.entries()) {
    if (one.what === 'scored') await score(`a-${round}`, n + 1, one);
    else if (one.what === 'resolve') await ask('POST', `${path}/resolutions`, one.who, { action: one.action, reason: 'r' });
    else if (one.what === 'reopen') await ask('POST', `${path}/reopenings`, one.who, { reason: 'r' });
    else {
      const { resolution } = (await ask('GET', path, one.who)).body;
      if (resolution == null) continue;
      await ask('POST', `${path}/approvals`, one.who, { resolution_id: resolution.resolution_id, approve: true });
    }
    await settle();
  }
  const { resolutions = [] } = (await ask('GET', path, 'ann')).body;
  return resolutions.toReversed();
}

const high: Step = { what: 'scored', level: 'High', isExposed: false };
const exposed: Step = { ...high, isExposed: true };
const byAnn: Step = { what: 'resolve', who: 'ann', action: 'allow' };
const byBen: Step = { what: 'approve', who: 'ben' };

test('a sanctioned entity that only an earlier result named takes two people, who are not refused', async () => {
  expect(await run([exposed, high, byAnn])).toMatchObject([{ state: 'pending_approval', needs_approval: true }]);
  expect(await run([exposed, high, byAnn, byBen])).toMatchObject([{ state: 'applied' }]);
});

test('a block of the policy that one person has reopened is released by two', async () => {
  const reopened: Step[] = [
    { what: 'scored', level: 'Severe', isExposed: false },
    { what: 'reopen', who: 'ann' },
  ];
  expect((await run([...reopened, byAnn]))[1]).toMatchObject({ state: 'pending_approval', needs_approval: true });
  expect((await run([...reopened, byAnn, byBen]))[1]).toMatchObject({ state: 'applied' });
});

/** A failure prints the seed that repeats it. */
test('whatever the console accepts decision accepts: nothing is refused, nothing is stuck', async () => {
  const count = { one: 0, two: 0 };
  const refused = async (): Promise<number> => (await deadLetters(console.pipeline, 'reviews.resolved')).length;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 10 }), async (steps) => {
      const before = await refused();
      const resolutions = await run([high, ...steps]);
      expect((await refused()) - before).toBe(0);
      expect(resolutions.filter(({ state }) => state === 'approved')).toEqual([]);
      for (const { state, needs_approval } of resolutions) if (state === 'applied') count[needs_approval ? 'two' : 'one'] += 1;
    }),
    { numRuns: 15, verbose: 1, examples: [[[byAnn, { what: 'reopen', who: 'ben' }, byAnn]], [[exposed, high, byAnn, byBen]]] },
  );
  expect(count.one).toBeGreaterThan(0);
  expect(count.two).toBeGreaterThan(0);
});
