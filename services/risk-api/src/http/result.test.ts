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

const hop = {
  at: 0,
  tx: `0x${'a'.repeat(64)}`,
  position: 0,
  from: `0x${'b'.repeat(40)}`,
  to: `0x${'c'.repeat(40)}`,
  usd: 1,
  coin: 'USDT-ERC20',
  amount: '123456.123456',
};
const longPath = (n: number, hop_num = 20): Exposure =>
  line(n, {
    exposure_type: 'indirect',
    hop_num,
    path: Array.from({ length: Math.min(hop_num, 20) }, (_, at) => ({ ...hop, at })),
    hop_dic: Object.fromEntries(Array.from({ length: Math.min(hop_num, 20) }, (_, at) => [String(at + 1), [hop.from]])),
  });
const toldOf = (exposures: readonly Exposure[]) => {
  const answer = scoreV3Data({ ...unknown, exposures }, '');
  expect(scoreV3.safeParse(answer).success).toBe(true);
  expect(Buffer.byteLength(JSON.stringify(answer))).toBeLessThan(1_000_000);
  return answer.risk_detail;
};

it('each exposure has its path', () => {
  const told = toldOf(Array.from({ length: 90 }, (_, n) => longPath(n)));
  expect(told.every(({ path, path_left_out }) => path.length === 20 && path_left_out === 0)).toBe(true);
  expect(told[0]?.path[0]).toEqual({
    txid: hop.tx,
    time: '1970-01-01T00:00:00.000Z',
    coin: 'USDT-ERC20',
    amount: '123456.123456',
    usd: 1,
    from: hop.from,
    to: hop.to,
  });
});

it('a path says how many of its transfers it leaves out', () => {
  expect(toldOf([longPath(0, 102)])).toMatchObject([{ hop_num: 102, path: { length: 20 }, path_left_out: 82 }]);
  expect(toldOf([line(0, { path: [] })])).toMatchObject([{ path: [], path_left_out: 1 }]);
});

it('an answer with very many long paths has those of the largest, of others both ends, and stays below a megabyte', () => {
  const told = toldOf(Array.from({ length: 400 }, (_, n) => longPath(n)));
  const whole = told.findIndex(({ path }) => path.length < 20);
  expect(whole).toBeGreaterThan(60);
  expect(told.slice(0, whole).every(({ path_left_out }) => path_left_out === 0)).toBe(true);
  for (const { path, path_left_out, hop_dic } of told.slice(whole)) {
    expect(path.map(({ time }) => Date.parse(time))).toEqual([0, 19]);
    expect([path_left_out, Object.keys(hop_dic ?? {})]).toEqual([18, ['1', '20']]);
  }
});

it('an answer whose exposures have long names and paths stays below a megabyte too', () => {
  const told = toldOf(Array.from({ length: mostExposures }, (_, n) => ({ ...longPath(n), entity: `${'é'.repeat(150)} ${n}` })));
  expect(told).toHaveLength(mostExposures);
  expect(told[0]?.path).toHaveLength(2);
  expect(told.at(-1)).toMatchObject({ path: [], path_left_out: 20 });
});
