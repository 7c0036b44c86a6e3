import { Codec, memorySchemaIds, type ReviewResolved, type ScreeningDecided } from '@weir/contracts';
import { resolved, scored, unavailable } from '@weir/contracts/testing';
import { type Policy, parsePolicy, readPolicy } from '@weir/policy';
import { beforeAll, expect, test } from 'vitest';
import { evidenceOf, toDecision } from './evidence.ts';
import { Rederivation } from './index.ts';
import { decidedByPeople } from './resolved.ts';

const policy = parsePolicy(readPolicy());
const candidate = parsePolicy(readPolicy().replace('Moderate', 'Moderate '));
let codec: Codec;
beforeAll(async () => {
  codec = await Codec.open(memorySchemaIds());
});

const result = scored('d-1', 1, 1, { risk_level: 'Severe', score: 95 });
const later = scored('d-1', 2, 1, { risk_level: 'Low', score: 3 });

function decisionOn(
  event: typeof result | undefined,
  revision: number,
  { active = policy, shadow = null as Policy | null } = {},
): ScreeningDecided {
  const { transfer, screening_id, requested_at } = event ?? result;
  const evidence = evidenceOf(event, transfer, []);
  return toDecision({ active, shadow }, { screening_id, revision, transfer, evidence, requested_at, decided_at: requested_at + 5 });
}

function byPeople(resolution: ReviewResolved): ScreeningDecided {
  const reviewed = { resolutions: new Map(), earlier: new Map() };
  return decidedByPeople(resolution, result, reviewed, { policyHash: policy.hash, decidedAt: 9 });
}

type Event = typeof result | ReviewResolved | ScreeningDecided;

function problemsOf(...events: readonly Event[]): string[] {
  const check = new Rederivation(codec, new Map([policy, candidate].map((each) => [each.hash, each])));
  for (const [n, event] of events.entries())
    if ('policy_hash' in event) check.seeDecision({ place: `entry ${n}`, decided: event, unknownFields: [] });
    else if ('reviewer' in event) check.seeResolution(event);
    else check.seeResult(event);
  expect(check.count).toBe(events.filter((event) => 'policy_hash' in event).length);
  return [...check.problems()];
}

test('decisions follow from results, deadlines and resolutions, in any order, also beside a shadow policy', () => {
  const resolution = resolved(result.screening_id, { resolution_id: 'r-1', revision: 2 });
  const events = [result, later, decisionOn(result, 1), decisionOn(later, 2, { shadow: candidate }), resolution, byPeople(resolution)];
  expect(problemsOf(...events)).toEqual([]);
  expect(problemsOf(...events.toReversed())).toEqual([]);
  expect(problemsOf(decisionOn(undefined, 1))).toEqual([]);
  expect(problemsOf(unavailable('d-1'), decisionOn(unavailable('d-1'), 1))).toEqual([]);
});

test('a decision of an earlier version lacks fields', () => {
  const check = new Rederivation(codec, new Map([[policy.hash, policy]]));
  check.seeResult(result);
  check.seeDecision({
    place: 'entry 1',
    decided: { ...decisionOn(result, 1), names_sanctioned: null },
    unknownFields: ['names_sanctioned'],
  });
  expect([...check.problems()]).toEqual([]);
});

test.each<[string, readonly Event[], RegExp]>([
  [
    'another action',
    [result, { ...decisionOn(result, 1), action: 'allow' }],
    /entry 1: decision 1 of screening \S+ \(allow\) does not follow: .* give block \(LEVEL_SEVERE\)/,
  ],
  ['a milder level', [result, { ...decisionOn(later, 1) }], /give block/],
  ['no result', [decisionOn(later, 1)], /the log has no result for it/],
  ['a result that another decision used', [result, decisionOn(result, 1), decisionOn(result, 2)], /entry 2: decision 2/],
  [
    'a result about another subject',
    [{ ...result, transfer: { ...result.transfer, from_address: '0x1' } }, decisionOn(result, 1)],
    /does not follow/,
  ],
  ['a policy that is not known', [result, { ...decisionOn(result, 1), policy_hash: 'x' }], /policy x is not known/],
  ['another shadow', [result, { ...decisionOn(result, 1, { shadow: candidate }), shadow: 'allow' }], /does not follow/],
  ['no resolution', [byPeople(resolved(result.screening_id, { resolution_id: 'r-1' }))], /the log has no resolution r-1/],
  [
    'a resolution of other people',
    [
      resolved(result.screening_id, { resolution_id: 'r-1', action: 'block' }),
      byPeople(resolved(result.screening_id, { resolution_id: 'r-1' })),
    ],
    /resolution r-1 says block to revision 1/,
  ],
])('a decision with %s is named', (_, events, problem) => {
  expect(problemsOf(...events)).toEqual([expect.stringMatching(problem)]);
});
