import type { Action } from '@weir/contracts';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  type EarlierDecision,
  isSamePerson,
  namesSanctioned,
  needsApproval,
  type Person,
  reviewStateOf,
  whyNotApplicable,
  whyNotResolvable,
} from './index.ts';

const nothingLate = { isAdverse: false, namesSanctioned: false };
const single = '1000';

function decisionsOf(...made: [Action, Partial<EarlierDecision>?][]): EarlierDecision[] {
  return made.map(([action, over], n) => ({
    revision: n + 1,
    action,
    by_person: false,
    reason_codes: [],
    names_sanctioned: false,
    ...over,
  }));
}

test.each<[string, boolean, EarlierDecision[]]>([
  ['one person allows what is held from the beginning', false, decisionsOf(['review'])],
  ['two people allow what was blocked and people hold again', true, decisionsOf(['block'], ['review', { by_person: true }])],
  ['two people allow what was blocked and a result holds', true, decisionsOf(['block'], ['review'])],
  [
    'two people allow where an earlier decision alone names a sanctioned entity',
    true,
    decisionsOf(['review', { names_sanctioned: true }], ['review']),
  ],
  [
    'two people allow where it is unknown whether an earlier decision names one',
    true,
    decisionsOf(['review', { names_sanctioned: null }], ['review']),
  ],
  [
    'two people allow where a decision doubts the declared value',
    true,
    decisionsOf(['review', { reason_codes: ['USD_VALUE_CONTRADICTED'] }], ['review']),
  ],
  ['two people allow again what people reopened', true, decisionsOf(['allow'], ['review', { by_person: true }])],
  [
    'two people allow again what one person allowed and another reopened',
    true,
    decisionsOf(['review'], ['allow', { by_person: true }], ['review', { by_person: true }]),
  ],
  ['two people allow where an earlier decision was not read', true, decisionsOf(['block'], ['review']).slice(1)],
])('below the limit %s', (_, isTwo, decisions) => {
  const state = reviewStateOf(decisions, '5', nothingLate);
  expect(needsApproval(state, 'allow', single)).toBe(isTwo);
  expect(needsApproval(state, 'review', single)).toBe(false);
});

const action = fc.constantFrom<Action>('allow', 'block', 'review');
const person: fc.Arbitrary<Person> = fc.record({
  id: fc.constantFrom('reviewer:1', 'approver:1', 'approver:2', 'reviewer:3'),
  name: fc.constantFrom('', 'Ann', 'ANN ', 'Ben'),
});
const history = fc.array(
  fc.record({
    action,
    by_person: fc.boolean(),
    codes: fc.subarray(['LEVEL_HIGH', 'SANCTIONED_EXPOSURE', 'LOCAL_SANCTIONS_MATCH', 'USD_VALUE_CONTRADICTED']),
    exposures: fc.array(fc.record({ risk_type: fc.constantFrom('mixer', 'sanctioned_entity') }), { maxLength: 2 }),
    /** Whether the console has read it; it always has the last one. */
    isRead: fc.constantFrom(true, true, true, false),
    /** An older version published it without that field. */
    isOld: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 1, maxLength: 5 },
);

/** A failure prints its seed. */
test('whatever the console accepts decision accepts, whatever happened before and whatever the console has read of it', () => {
  const accepted = { one: 0, two: 0 };
  const late = fc.record({ isAdverse: fc.boolean(), namesSanctioned: fc.boolean() });
  const limit = fc.constantFrom('', '5', '5.01', '1000');
  const usdValue = fc.constantFrom(null, '5', '5.00', '1000');
  fc.assert(
    fc.property(history, late, limit, usdValue, action, person, person, (made, fromLate, singleBelowUsd, value, wanted, by, other) => {
      const stored = made.map(({ action: was, by_person, codes, exposures }, n) => ({
        revision: n + 1,
        action: was,
        by_person,
        reason_codes: codes,
        names_sanctioned: by_person ? false : namesSanctioned(codes, exposures),
      }));
      const latest = stored.at(-1);
      const read = stored
        .map((one, n) => (made[n]?.isOld === true ? { ...one, names_sanctioned: null } : one))
        .filter((one, n) => made[n]?.isRead === true || one.revision === latest?.revision);
      // Only a late result makes people's allow adverse.
      const isAdverse = fromLate.isAdverse && latest?.by_person === true;
      const state = reviewStateOf(read, value, { ...fromLate, isAdverse });
      if (whyNotResolvable(state, wanted) !== undefined) return;
      const isTwo = needsApproval(state, wanted, singleBelowUsd);
      if (isTwo && isSamePerson(by, other)) return;
      accepted[isTwo ? 'two' : 'one'] += 1;
      const resolution = {
        resolution_id: 'r',
        screening_id: 's',
        revision: stored.length,
        action: wanted,
        reason: 'known',
        resolved_by: by.id,
        resolved_by_name: by.name,
        resolved_at: new Date(1),
        needs_approval: isTwo,
        answer: 'approved' as const,
        answered_by: isTwo ? other.id : null,
        answered_by_name: isTwo ? other.name : null,
        answered_at: new Date(2),
      };
      const known = reviewStateOf(stored, value, { isAdverse: latest?.by_person === true, namesSanctioned: false });
      expect(whyNotApplicable(resolution, known, { reviewSingleBelowUsd: singleBelowUsd })).toBeUndefined();
    }),
    { numRuns: 5_000 },
  );
  expect(accepted.one).toBeGreaterThan(50);
  expect(accepted.two).toBeGreaterThan(50);
});
