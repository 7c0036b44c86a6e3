import type { Action, Kind } from '@weir/contracts';
import { expect, test } from 'vitest';
import { decide, type Evidence, loadPolicy } from './index.ts';

const policy = loadPolicy();
const scored = (risk_level: Evidence['risk_level'], usd_value: string | null = '10'): Partial<Evidence> => ({
  outcome: 'SCORED',
  risk_level,
  usd_value,
});
const sanctioned: Partial<Evidence> = { risk_detail: [{ risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1 }] };

/** Case, evidence, deposit action, withdrawal action. */
test.each<[string, Partial<Evidence>[], Action, Action]>([
  ['Severe', [scored('Severe')], 'block', 'block'],
  ['High', [scored('High')], 'review', 'review'],
  ['Moderate from 1,000 USD or unknown value', [scored('Moderate', '1000'), scored('Moderate', null)], 'review', 'review'],
  ['Moderate below 1,000 USD', [scored('Moderate', '999.99')], 'allow', 'allow'],
  ['Low', [scored('Low'), scored('Low', null), scored('Low', '5000000')], 'allow', 'allow'],
  [
    'any direct sanctioned_entity exposure',
    [
      ...(['Severe', 'High', 'Moderate', 'Low'] as const).map((level) => ({ ...scored(level), ...sanctioned })),
      { outcome: 'NO_DATA', ...sanctioned },
    ],
    'block',
    'block',
  ],
  [
    'dust received from a sanctioned entity',
    [
      {
        ...scored('Low'),
        risk_detail: [{ risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1, side: 'in', volume_usd: 0.5 }],
      },
    ],
    'review',
    'review',
  ],
  [
    'dust paid to a sanctioned entity',
    [
      {
        ...scored('Low'),
        risk_detail: [{ risk_type: 'sanctioned_entity', exposure_type: 'direct', hop_num: 1, side: 'out', volume_usd: 0.5 }],
      },
    ],
    'block',
    'block',
  ],
  ['10,000 USD of illicit money, however diluted', [{ ...scored('Low', '5000000'), illicit_usd: 10_000 }], 'review', 'review'],
  ['NO_DATA', [{ outcome: 'NO_DATA' }, { outcome: 'NO_DATA', usd_value: null }], 'review', 'review'],
  ['UNAVAILABLE', [{ outcome: 'UNAVAILABLE' }], 'review', 'review'],
  ['UNSUPPORTED', [{ outcome: 'UNSUPPORTED' }], 'review', 'review'],
  ['INVALID', [{ outcome: 'INVALID' }], 'review', 'review'],
])('%s', (_, evidences, deposit, withdrawal) => {
  for (const [kind, action] of [
    ['deposit', deposit],
    ['withdrawal', withdrawal],
  ] as [Kind, Action][]) {
    for (const over of evidences) {
      const evidence: Evidence = { kind, outcome: 'SCORED', risk_level: null, risk_detail: [], reasons: [], usd_value: '10', ...over };
      expect(decide(policy, evidence).action).toBe(action);
    }
  }
});
