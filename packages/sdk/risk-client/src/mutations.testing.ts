import fc from 'fast-check';

export type Mutation = (json: string) => string;
const place = fc.integer({ min: 0, max: 9_999 });

const pieces = ['', '0', '9', '-', '.', '"', 'Low', 'Severe', '100', 'null', 'true', '{', '}', '[', ']', ','];
export const splice = fc.tuple(place, fc.nat(6), fc.constantFrom(...pieces)).map(
  ([at, length, text]): Mutation =>
    (json) => {
      const from = Math.floor((at / 10_000) * json.length);
      return json.slice(0, from) + text + json.slice(from + length);
    },
);

/** Changes one letter or digit; JSON stays valid. */
export const misprint = fc.tuple(place, fc.nat(9)).map(
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
  '"more":false,',
  '"items":[],',
  '"next_cursor":"c9",',
];
/** Inserts a field where one can stand. */
export const extraField = fc.tuple(place, fc.constantFrom(...fields)).map(
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
export const otherValue = fc.tuple(fc.nat(60), odd).map(
  ([index, replacement]): Mutation =>
    (json) => {
      let at = 0;
      return JSON.stringify(JSON.parse(json), (name, value: unknown) => (name !== '' && at++ === index ? replacement : value));
    },
);
