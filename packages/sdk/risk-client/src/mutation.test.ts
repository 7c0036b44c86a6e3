import { systemClock } from '@weir/clock';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type QueryAnswer, RiskClient } from './index.ts';
import { extraField, type Mutation, misprint, otherValue, splice } from './mutations.testing.ts';

const bands = { Low: [0, 30], Moderate: [31, 70], High: [71, 90], Severe: [91, 100] } as const;
const level = fc.constantFrom(...(Object.keys(bands) as (keyof typeof bands)[]));

const exposure = fc.record({
  entity: fc.constantFrom('Mixer X', 'Lazarus', ''),
  risk_type: fc.constantFrom('sanctioned_entity', 'mixer', 'bridge'),
  exposure_type: fc.constantFrom('direct', 'indirect'),
  hop_num: fc.integer({ min: 1, max: 7 }),
  volume: fc.constantFrom(0.5, 1_234, null),
  percent: fc.constantFrom(0.1, 30),
  side: fc.constantFrom('in', 'out', null),
});

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

interface Stated {
  success?: unknown;
  data?: {
    score?: unknown;
    risk_level?: unknown;
    coverage?: unknown;
    risk_detail?: { risk_type?: unknown; exposure_type?: unknown; side?: unknown }[];
  };
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

/** Parses the text independently; the client's answer must match it or be no level. */
function checkAgainst(text: string, answer: QueryAnswer): void {
  if (answer.kind !== 'scored' && answer.kind !== 'no_data') return;
  const { success, data } = JSON.parse(text) as Stated;
  const { risk_level, score, risk_detail } = answer.result;
  expect(success).toBe(true);
  expect(risk_level).toBe(data?.risk_level);
  expect(String(score)).toBe(String(data?.score));
  expect(score).toBeGreaterThanOrEqual(bands[risk_level][0]);
  expect(score).toBeLessThanOrEqual(bands[risk_level][1]);
  expect(answer.kind === 'no_data').toBe(data?.coverage === 'none');
  if (answer.kind === 'no_data') expect([risk_level, risk_detail]).toEqual(['Low', []]);
  // No exposure is lost or softened.
  const typesOf = (exposures: readonly { risk_type?: unknown; exposure_type?: unknown }[] | undefined) =>
    exposures?.map(({ risk_type, exposure_type }) => [risk_type, exposure_type]);
  expect(typesOf(risk_detail)).toEqual(typesOf(data?.risk_detail));
  // Received money may be judged milder, so a side is never made up.
  risk_detail.forEach(({ side }, index) => expect([null, data?.risk_detail?.[index]?.side]).toContain(side));
  // Each field occurs once, so no reader could see another value.
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
  // Both outcomes occurred, so the property could have failed.
  expect(kinds.get('scored') ?? 0).toBeGreaterThan(20);
  if (name === 'a valid answer') expect([...kinds.keys()]).toEqual(['scored']);
  else expect(kinds.get('unavailable') ?? 0).toBeGreaterThan(100);
});
