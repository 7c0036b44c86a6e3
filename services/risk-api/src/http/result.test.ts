import { type Assessment, unknown } from '@weir/risk-engine';
import { expect, it } from 'vitest';
import { scoreV2TaskData, scoreV3Data } from './result.ts';
import { mostExposures, scoreV3 } from './schemas/answers.ts';

type Exposure = Assessment['exposures'][number];

/** Smaller shares for larger numbers: an assessment lists the largest first. */
const line = (n: number, more: Partial<Exposure> = {}): Exposure => ({
  side: 'in',
  entity: `Entity ${n}`,
  risk_type: 'gambling',
  category: 'gambling',
  suspected: false,
  exposure_type: 'direct',
  hop_num: 1,
  volume: 1,
  percent: 10 / (n + 1),
  side_percent: 20 / (n + 1),
  counterparty: '',
  path: [],
  sources: [],
  ...more,
});

it('of more exposures than an answer has, the sanctioned ones are told, then the largest, in their order', () => {
  const exposures = Array.from({ length: 5_000 }, (_, n) => line(n));
  exposures.push(
    line(5_000, { risk_type: 'sanctioned_entity' }),
    line(5_001, { risk_type: 'sanctioned_entity', exposure_type: 'indirect', hop_num: 2 }),
  );
  const { risk_detail: told } = scoreV3Data({ ...unknown, exposures }, '');
  expect(told).toHaveLength(mostExposures);
  expect(told.map(({ entity }) => entity)).toEqual([
    ...Array.from({ length: mostExposures - 2 }, (_, n) => `Entity ${n}`),
    'Entity 5000',
    'Entity 5001',
  ]);
  expect(scoreV2TaskData({ ...unknown, exposures }).risk_detail).toHaveLength(mostExposures);
  expect(scoreV3.safeParse(scoreV3Data({ ...unknown, exposures }, '')).success).toBe(true);
});
