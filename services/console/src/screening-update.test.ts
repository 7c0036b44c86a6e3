import type { Exposure, ScreeningScored } from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import { expect, test } from 'vitest';
import { decided, requested, scored, type TestEvent } from './events.testing.ts';
import { withPaths } from './paths.ts';
import { screeningUpdateOf, type ScreeningEvent } from './screening-update.ts';

const facts = (event: TestEvent) => screeningUpdateOf({ ...event, record: undefined } as unknown as ScreeningEvent);

const exposed: Exposure = {
  entity: 'X',
  risk_type: 'mixer',
  exposure_type: 'direct',
  hop_num: 1,
  volume_usd: 5,
  percent: 40,
  side: 'in',
};
const hop = { txid: '0xfeed', time: '2025-12-30T08:15:00.000Z', coin: 'ETH', amount: '1.5', usd: 5, from: '0xc0ffee', to: '0xdecaf' };
const answerOf = (over: object): string => {
  const { volume_usd: volume, ...rest } = exposed;
  const data = {
    score: 95,
    risk_level: 'Severe',
    detail_list: [],
    risk_detail: [{ ...rest, volume, counterparty: '0xc0ffee', path: [hop], ...over }],
  };
  return JSON.stringify({ success: true, msg: '', data });
};

/** Some programs write this for "no time". */
const yearOne = Date.parse('0001-01-01T00:00:00Z');

test.each<[string, TestEvent]>([
  ['a screening id that is none', requested('deposit', 1, { screening_id: 'x' })],
  ['a deadline before all times', requested('deposit', 1, { deadline_at: -8_640_000_000_000_001 })],
  ['a time after all times', scored('deposit', 1, { requested_at: Number.MAX_SAFE_INTEGER })],
  ['a decision of no time', decided('deposit', 1, { decided_at: yearOne - 1 })],
  ['half a millisecond', decided('deposit', 1, { decided_at: 0.5 })],
])('%s belongs to the dead letters', (_, event) => {
  expect(() => facts(event)).toThrow(PoisonRecord);
});

test('a transfer before 1970 is shown as any other', () => {
  const { data } = requested('deposit', 1);
  if (!('transfer' in data)) throw new TypeError('a request has its transfer');
  const transfer = { ...data.transfer, occurred_at: yearOne };
  for (const event of [requested('deposit', 1, { transfer }), scored('deposit', 1, { transfer }), decided('deposit', 1, { transfer })]) {
    expect(facts(event).request.transfer.detected_at).toBe('0001-01-01T00:00:00.000Z');
  }
});

test('an exposure has the names of the risk API', () => {
  const exposure = {
    entity: 'X',
    risk_type: 'mixer',
    exposure_type: 'indirect',
    hop_num: 3,
    volume_usd: null,
    percent: null,
    side: 'out',
  } as const;
  expect(facts(scored('deposit', 1, { risk_detail: [exposure] })).result?.risk_detail).toEqual([
    { entity: 'X', risk_type: 'mixer', exposure_type: 'indirect', hop_num: 3, volume: null, percent: null, side: 'out' },
  ]);
});

test('the value of an exposure that the risk API writes as 0 is unknown', () => {
  const exposure = {
    entity: 'X',
    risk_type: 'mixer',
    exposure_type: 'direct',
    hop_num: 1,
    volume_usd: 0,
    percent: 100,
    side: 'in',
  } as const;
  expect(facts(scored('deposit', 1, { risk_detail: [exposure] })).result?.risk_detail).toMatchObject([{ volume: null, percent: 100 }]);
});

test('an outcome without score and level has neither', () => {
  const result = facts(
    scored('deposit', 1, { outcome: 'UNAVAILABLE', score: null, risk_level: null, reasons: ['DEADLINE_PASSED'] }),
  ).result;
  expect(result).toMatchObject({ outcome: 'UNAVAILABLE', reasons: ['DEADLINE_PASSED'] });
  expect(Object.keys(result ?? {})).not.toContain('score');
  expect(Object.keys(result ?? {})).not.toContain('risk_level');
});

test('a result that two questions gave names both', () => {
  const transaction = {
    subject: '0xaa',
    subject_type: 'txid',
    outcome: 'NO_DATA',
    score: 3,
    risk_level: null,
    evidence_sha256: 'a1',
  } as const;
  const sender = {
    subject: '0xbb',
    subject_type: 'address',
    outcome: 'SCORED',
    score: 95,
    risk_level: 'Severe',
    evidence_sha256: 'b2',
  } as const;
  const { risk_level: _, ...shown } = transaction;
  expect(facts(scored('deposit', 1, { questions: [transaction, sender] })).result?.questions).toEqual([shown, sender]);
});

test.each<[string, Partial<ScreeningScored>, unknown]>([
  ['of the stored answer', {}, [{ counterparty: '0xc0ffee', path: [hop] }]],
  ['without evidence', { evidence: null }, undefined],
  ['of an answer that is no result', { evidence: '{"data":{}}' }, undefined],
  ['of an answer about something else', { risk_detail: [{ ...exposed, entity: 'Other' }] }, undefined],
  ['of an answer that names neither', { evidence: answerOf({ counterparty: undefined, path: undefined }) }, undefined],
  [
    'with the sources of the labels',
    { evidence: answerOf({ sources: ['OFAC SDN'] }) },
    [{ counterparty: '0xc0ffee', path: [hop], sources: ['OFAC SDN'] }],
  ],
  ['of an answer with another form of path', { evidence: answerOf({ path: ['0xfeed'] }) }, [{ counterparty: '0xc0ffee', path: [] }]],
])('paths %s', (_, over, paths) => {
  const event = scored('deposit', 1, { risk_detail: [exposed], evidence: answerOf({}), evidence_sha256: 'abc', ...over });
  expect(facts(event).paths?.exposures).toEqual(paths);
});

test('paths of another result than the shown one are left out', () => {
  const { result, paths } = facts(scored('deposit', 1, { risk_detail: [exposed], evidence: answerOf({}), evidence_sha256: 'abc' }));
  expect(withPaths(result, paths)?.risk_detail).toMatchObject([{ entity: 'X', volume: 5, counterparty: '0xc0ffee', path: [hop] }]);
  expect(withPaths(result && { ...result, evidence_sha256: 'def' }, paths)?.risk_detail).toEqual(result?.risk_detail);
});

test('what the score is made of is read from the stored answer, and shown with it alone', () => {
  const grounds = {
    contributions: [
      { key: 'base', points: 3 },
      { key: 'in:direct:theft', points: 92 },
    ],
    counterfactuals: [{ without: 'in:direct:theft', score: 3, risk_level: 'Low' }],
  };
  const evidence = JSON.stringify({ data: { ...JSON.parse(answerOf({})).data, ...grounds } });
  const { result, paths } = facts(scored('deposit', 1, { risk_detail: [exposed], evidence, evidence_sha256: 'abc' }));
  expect(withPaths(result, paths)?.grounds).toEqual(grounds);
  expect(withPaths(result && { ...result, evidence_sha256: 'def' }, paths)).not.toHaveProperty('grounds');
  const { paths: without } = facts(scored('deposit', 1, { risk_detail: [exposed], evidence: answerOf({}), evidence_sha256: 'abc' }));
  expect(without).not.toHaveProperty('grounds');
});
