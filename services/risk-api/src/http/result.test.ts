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

it('an answer with very many long paths stays below a megabyte, and has those of the largest', () => {
  const hop = {
    at: 0,
    tx: `0x${'a'.repeat(64)}`,
    position: 0,
    from: `0x${'b'.repeat(40)}`,
    to: `0x${'c'.repeat(40)}`,
    usd: 1,
    coin: 'USDT-ERC20',
  };
  const path = Array.from({ length: 20 }, () => ({ ...hop, amount: '123456.123456' }));
  const exposures = Array.from({ length: 300 }, (_, n) => line(n, { exposure_type: 'indirect', hop_num: 20, path }));
  const answer = scoreV3Data({ ...unknown, exposures }, '');
  expect(JSON.stringify(answer).length).toBeLessThan(1_000_000);
  expect(answer.risk_detail.filter((told) => told.path.length > 0).map(({ entity }) => entity)).toEqual(
    Array.from({ length: 40 }, (_, n) => `Entity ${n}`),
  );
  expect(answer.risk_detail[0]?.path[0]).toEqual({
    txid: hop.tx,
    time: '1970-01-01T00:00:00.000Z',
    coin: 'USDT-ERC20',
    amount: '123456.123456',
    usd: 1,
    from: hop.from,
    to: hop.to,
  });
});
