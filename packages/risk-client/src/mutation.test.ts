import { systemClock } from '@weir/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type QueryAnswer, RiskClient } from './index.ts';

const bands = { Low: [0, 30], Moderate: [31, 70], High: [71, 90], Severe: [91, 100] } as const;
const level = fc.constantFrom(...(Object.keys(bands) as (keyof typeof bands)[]));

const exposure = fc.record({
  entity: fc.constantFrom('Mixer X', 'Lazarus', ''),
  risk_type: fc.constantFrom('sanctioned_entity', 'mixer', 'bridge'),
  exposure_type: fc.constantFrom('direct', 'indirect'),
  hop_num: fc.integer({ min: 1, max: 7 }),
  volume: fc.constantFrom(0.5, 1_234, null),
  percent: fc.constantFrom(0.1, 30),
});

/** Valid answers of the API. */
const valid = level.chain((risk_level) =>
  fc.record({
    success: fc.constant(true),
    msg: fc.constant(''),
    data: fc.record(
      {
        score: fc.integer({ min: bands[risk_level][0], max: bands[risk_level][1] }),
        risk_level: fc.constant(risk_level),
        hacking_event: fc.constant(''),
        detail_list: fc.constantFrom([], ['Mixer']),
        risk_detail: fc.array(exposure, { maxLength: 2 }),
        address_label: fc.constantFrom('', 'Exchange'),
        risk_report_url: fc.constant('https://reports.example/r?token=abcdefgh12345678'),
        coverage: fc.constantFrom('labels', 'full'),
      },
      { requiredKeys: ['score', 'risk_level', 'hacking_event', 'detail_list', 'risk_detail', 'address_label', 'risk_report_url'] },
    ),
  }),
);

type Mutation = (json: string) => string;
const place = fc.integer({ min: 0, max: 9_999 });

const pieces = ['', '0', '9', '-', '.', '"', 'Low', 'Severe', '100', 'null', 'true', '{', '}', '[', ']', ','];
/** Replaces, removes or inserts a piece of the text anywhere. */
const splice = fc.tuple(place, fc.nat(6), fc.constantFrom(...pieces)).map(
  ([at, length, text]): Mutation =>
    (json) => {
      const from = Math.floor((at / 10_000) * json.length);
      return json.slice(0, from) + text + json.slice(from + length);
    },
);

/** Turns one letter or digit into another, which leaves JSON what it is. */
const misprint = fc.tuple(place, fc.nat(9)).map(
  ([at, by]): Mutation =>
    (json) => {
      const from = Math.floor((at / 10_000) * json.length);
      const sign = json.charAt(from);
      const other = /\d/.test(sign) ? String(by) : /[a-z]/i.test(sign) ? 'LowSevrHig'.charAt(by) : sign;
      return json.slice(0, from) + other + json.slice(from + 1);
    },
);

const fields = [
  '"score":3,',
  '"score":"95",',
  '"risk_level":"Low",',
  '"risk_level":"Severe",',
  '"success":true,',
  '"risk_detail":[],',
  '"coverage":"none",',
  '"data":{},',
];
/** Puts another field where a field can stand. */
const extraField = fc.tuple(place, fc.constantFrom(...fields)).map(
  ([at, field]): Mutation =>
    (json) => {
      const openings = [...json.matchAll(/\{|,(?=")/g)].map(({ index }) => index + 1);
      const from = openings[Math.floor((at / 10_000) * openings.length)] ?? 1;
      return json.slice(0, from) + field + json.slice(from);
    },
);

/** Replaces or removes one value anywhere in the tree. */
const odd = fc.constantFrom<unknown>(
  undefined,
  null,
  0,
  3,
  95,
  '3',
  '95',
  'Low',
  'Severe',
  'none',
  '',
  true,
  [],
  {},
  [null],
  1e300,
  -1,
  2.5,
);
const otherValue = fc.tuple(fc.nat(60), odd).map(
  ([index, replacement]): Mutation =>
    (json) => {
      let at = 0;
      return JSON.stringify(JSON.parse(json), (name, value: unknown) => (name !== '' && at++ === index ? replacement : value));
    },
);

interface Stated {
  success?: unknown;
  data?: { score?: unknown; risk_level?: unknown; coverage?: unknown; risk_detail?: { risk_type?: unknown; exposure_type?: unknown }[] };
}

async function read(text: string): Promise<QueryAnswer> {
  const reply = new Response(text, { headers: { 'content-type': 'application/json' } });
  return new RiskClient({
    baseUrl: 'http://api',
    apiKey: 'some-key',
    keyIn: 'header',
    clock: systemClock,
    fetch: async () => reply,
  }).queryTask('t');
}

/** What the text says, read on its own; the client's answer must be just that or no level. */
function checkAgainst(text: string, answer: QueryAnswer): void {
  if (answer.kind !== 'scored' && answer.kind !== 'no_data') return;
  const { success, data } = JSON.parse(text) as Stated;
  const { riskLevel, score, riskDetail } = answer.result;
  expect(success).toBe(true);
  expect(riskLevel).toBe(data?.risk_level);
  expect(String(score)).toBe(String(data?.score));
  expect(score).toBeGreaterThanOrEqual(bands[riskLevel][0]);
  expect(score).toBeLessThanOrEqual(bands[riskLevel][1]);
  expect(answer.kind === 'no_data').toBe(data?.coverage === 'none');
  if (answer.kind === 'no_data') expect([riskLevel, riskDetail]).toEqual(['Low', []]);
  // No exposure is lost or softened on the way.
  expect(riskDetail.map(({ riskType, exposureType }) => [riskType, exposureType])).toEqual(
    data?.risk_detail?.map(({ risk_type, exposure_type }) => [risk_type, exposure_type]),
  );
  // And each of these stands there once, so that no reader could have seen another.
  let occurrence = 0;
  const told = text.replace(
    /"(score|risk_level|risk_detail|data)"\s*:/g,
    (_, name: string) => `"${name}${name === 'data' ? '' : `#${occurrence++}`}":`,
  );
  const names = Object.keys((JSON.parse(told) as { data: object }).data).filter((name) => name.includes('#'));
  expect(names.map((name) => name.split('#')[0]).toSorted((a = '', b = '') => a.localeCompare(b))).toEqual([
    'risk_detail',
    'risk_level',
    'score',
  ]);
}

test.each([
  ['a valid answer', fc.constant([])],
  ['a piece of text cut or put in', fc.array(splice, { minLength: 1, maxLength: 3 })],
  ['misprints', fc.array(misprint, { minLength: 1, maxLength: 3 })],
  ['further fields', fc.array(extraField, { minLength: 1, maxLength: 2 })],
  ['other values', fc.array(otherValue, { minLength: 1, maxLength: 2 })],
] as const)('%s: never a level that the answer does not state itself', async (name, mutations) => {
  const kinds = new Map<string, number>();
  await fc.assert(
    fc.asyncProperty(valid, mutations, async (answer, changes: readonly Mutation[]) => {
      const text = changes.reduce((json, change) => change(json), JSON.stringify(answer));
      const got = await read(text);
      kinds.set(got.kind, (kinds.get(got.kind) ?? 0) + 1);
      checkAgainst(text, got);
    }),
    { numRuns: 2_000 },
  );
  // Both ways were tried, so the property could have failed.
  expect(kinds.get('scored') ?? 0).toBeGreaterThan(20);
  if (name === 'a valid answer') expect([...kinds.keys()]).toEqual(['scored']);
  else expect(kinds.get('unavailable') ?? 0).toBeGreaterThan(100);
});
