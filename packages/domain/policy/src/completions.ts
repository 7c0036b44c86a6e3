import { closedTexts, fields, functions } from './vocabulary.ts';

export interface Completion {
  readonly text: string;
  /** Its type, or what it is; may be empty. */
  readonly about: string;
}

/** What can stand from `from` to the place. */
export interface Completions {
  readonly from: number;
  readonly options: readonly Completion[];
}

const actions = ['block', 'review', 'allow'];
const topKeys = [
  'version',
  'sanctioned_exposure',
  'deposit',
  'withdrawal',
  'value_tolerance',
  'price_max_age_days',
  'illicit_value',
  'sanctioned_dust_usd',
  'sanctioned_received_usd',
  'history',
  'rules',
];
const lines = ['Severe', 'High', 'Moderate', 'Low', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID'];
const valueKeys = ['review_from_usd', 'below', 'unknown_value'];
const keysOf: Readonly<Record<string, readonly string[]>> = {
  sanctioned_exposure: ['deposit', 'withdrawal'],
  deposit: lines,
  withdrawal: lines,
  illicit_value: ['review_from_usd', 'share_of_transfer', 'from_usd'],
  rules: ['name', 'when', 'action', 'may_relax'],
};
const windowKeys = ['of', 'kind', 'window'];
const valuesOf: Readonly<Record<string, readonly string[]>> = {
  action: actions,
  below: actions,
  unknown_value: ['block', 'review'],
  may_relax: ['true'],
  of: ['user', 'user_counterparty'],
  kind: ['deposit', 'withdrawal'],
  window: ['1h', '24h', '7d', '30d'],
  version: ['1'],
};

/** Proposes what can be written at a place in the text of a policy. Undefined: nothing. It need not be a whole policy yet. */
export function completePolicy(text: string, at: number): Completions | undefined {
  const line = text.slice(text.lastIndexOf('\n', at - 1) + 1, at);
  if (/^\s*#/.test(line)) return undefined;
  const section = sectionOf(text, at);
  const condition = section === 'rules' ? conditionIn(text.slice(0, at)) : undefined;
  const found = condition === undefined ? keyOrValue(line, section) : word(condition, windowsIn(text));
  return found === undefined || found.options.length === 0 ? undefined : { from: at - found.typed.length, options: found.options };
}

interface Found {
  /** What of it stands there already. */
  readonly typed: string;
  readonly options: readonly Completion[];
}

/** The key at the margin that the place is below; empty: none. */
function sectionOf(text: string, at: number): string {
  const keys = [...text.slice(0, at).matchAll(/^([a-z_]+):/gm)];
  return keys.at(-1)?.[1] ?? '';
}

/** The condition of a rule so far, if the place is in one: on the line of `when:`, or on deeper lines below it. */
function conditionIn(before: string): string | undefined {
  const start = /(?:^|[{,\s-])when:[ \t]*(?:[>|][-+]?[ \t]*\n)?/g;
  const last = [...before.matchAll(start)].at(-1);
  if (last === undefined) return undefined;
  const from = last.index + last[0].length;
  const condition = before.slice(from);
  // Keys of the rule after it on its line; within quotes or parentheses a comma is none.
  if (/,\s*(?:name|action|may_relax):|\}\s*$/.test(condition)) return undefined;
  const lineStart = before.lastIndexOf('\n', last.index) + 1;
  const column = before.slice(lineStart).indexOf('when:');
  // A line that is not deeper than the key is the next key, or the next rule.
  const isOver = before
    .slice(before.indexOf('\n', lineStart) === -1 ? before.length : before.indexOf('\n', lineStart) + 1)
    .split('\n')
    .some((line) => line !== '' && line.search(/\S|$/) <= column);
  return isOver ? undefined : condition;
}

function windowsIn(text: string): readonly string[] {
  const section = /^history:[^\n]*\n((?:[ \t]+[^\n]*\n|\s*#[^\n]*\n|\n)*)/m.exec(`${text}\n`)?.[1] ?? '';
  return [...section.matchAll(/^[ \t]+([a-z][a-z0-9_]*):/gm)].flatMap(([, name = '']) => (windowKeys.includes(name) ? [] : [name]));
}

function word(condition: string, windows: readonly string[]): Found | undefined {
  const [, compared = '', typedText] = /([\w.]+)\s*(?:==|!=)\s*\\?["']([\w]*)$/.exec(condition) ?? [];
  if (typedText !== undefined) return textsOf(compared, typedText);
  const [, compareList = '', typedItem] = /([\w.]+)\s+in\s+\[[^\]]*["']([\w]*)$/.exec(condition) ?? [];
  if (typedItem !== undefined) return textsOf(compareList, typedItem);
  const [path = ''] = /[\w.]*$/.exec(condition) ?? [];
  const parts = path.split('.');
  const typed = parts.pop() ?? '';
  return { typed, options: starting(typed, parts.length === 0 ? words : membersOf(parts, windows)) };
}

function textsOf(path: string, typed: string): Found {
  const name = [path, path.split('.').at(-1) ?? ''].find((each) => Object.hasOwn(closedTexts, each));
  const allowed = name === undefined ? [] : (closedTexts[name] ?? []);
  return {
    typed,
    options: starting(
      typed,
      allowed.filter((each) => each !== '').map((each) => ({ text: each, about: '' })),
    ),
  };
}

const words: readonly Completion[] = [
  { text: 'transfer', about: 'the transfer' },
  { text: 'result', about: 'the answer of the risk API' },
  { text: 'history', about: 'windows of the customer' },
  ...functions.map((name) => ({ text: name, about: 'function' })),
];

/** Fields of a record. Any other name is that of a loop over exposures. */
function membersOf([owner = '', ...rest]: readonly string[], windows: readonly string[]): readonly Completion[] {
  if (owner === 'history' && rest.length === 0) return windows.map((name) => ({ text: name, about: 'window' }));
  const record = owner === 'history' ? fields.window : (fields as Readonly<Record<string, Readonly<Record<string, string>>>>)[owner];
  if (record === undefined) return Object.entries(fields.exposure).map(([text, about]) => ({ text, about }));
  if (rest.length > (owner === 'history' ? 1 : 0)) return [];
  return Object.entries(record).map(([text, about]) => ({ text, about: about.replace('google.protobuf.Timestamp', 'timestamp') }));
}

function keyOrValue(line: string, section: string): Found | undefined {
  const [, key = '', typedValue] = /([\w]+):\s+["']?([\w]*)$/.exec(line) ?? [];
  if (typedValue !== undefined) {
    const isCell = lines.includes(key) || (section === 'sanctioned_exposure' && key !== section);
    const values = isCell ? actions : (valuesOf[key] ?? []);
    return {
      typed: typedValue,
      options: starting(
        typedValue,
        values.map((text) => ({ text, about: '' })),
      ),
    };
  }
  const [, indent = '', typed] = /^(\s*(?:-\s+)?)(\w*)$/.exec(line) ?? /(\{\s*|,\s*)(\w*)$/.exec(line) ?? [];
  if (typed === undefined) return undefined;
  const isInline = /[{,]/.test(indent);
  const keys = isInline ? inlineKeys(line, section) : indent === '' ? topKeys : (keysOf[section] ?? []);
  return {
    typed,
    options: starting(
      typed,
      keys.map((text) => ({ text: `${text}: `, about: '' })),
    ),
  };
}

function inlineKeys(line: string, section: string): readonly string[] {
  if (section === 'history') return windowKeys;
  if (section === 'deposit' || section === 'withdrawal') return valueKeys;
  const given = line.slice(line.lastIndexOf('{'));
  return (keysOf[section] ?? []).filter((key) => !given.includes(`${key}:`));
}

function starting(typed: string, options: readonly Completion[]): readonly Completion[] {
  const wanted = typed.toLowerCase();
  return options.filter(({ text }) => text.toLowerCase().startsWith(wanted) && text !== typed);
}
