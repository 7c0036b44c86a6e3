import type { ASTNode } from '@marcbachmann/cel-js';
import { grouped } from './diff.ts';
import { windowWords } from './diff-rules.ts';
import { environmentOf } from './language.ts';
import type { Policy } from './policy.ts';

/** The conditions of a policy's rules in words, in the order of the rules. Null: one has a form that no words are known for. */
export function rulesInWords({ history = {}, rules = [] }: Policy): (string | null)[] {
  const env = environmentOf(Object.keys(history));
  const windows = Object.fromEntries(Object.entries(history).map(([name, window]) => [name, windowWords(window)]));
  return rules.map(({ when }) => {
    try {
      return wordsOf(env.parse(when).ast, windows);
    } catch (error) {
      if (error instanceof NoWords) return null;
      throw error;
    }
  });
}

/** The words of each window, by its name. */
type Windows = Readonly<Record<string, string>>;

class NoWords extends Error {}

const fieldWords: Readonly<Record<string, string>> = {
  'transfer.kind': 'the kind',
  'transfer.source_id': 'the id of the transfer',
  'transfer.chain': 'the chain',
  'transfer.coin': 'the coin',
  'transfer.txid': 'the transaction',
  'transfer.from_address': 'the sender',
  'transfer.to_address': 'the receiver',
  'transfer.counterparty': 'the counterparty',
  'transfer.amount': 'the amount',
  'transfer.usd_value': 'the value in USD',
  'transfer.user_id': 'the customer',
  'transfer.occurred_at': 'the time of the transfer',
  'result.outcome': 'the outcome',
  'result.score': 'the score',
  'result.risk_level': 'the level',
  'result.reasons': 'the reasons',
  'result.detail_list': 'the findings',
  'result.risk_detail': 'the exposures',
  'result.address_label': 'the label',
  'result.hacking_event': 'the incident',
  'result.provider': 'the provider',
  'result.illicit_usd': 'the illicit money in USD',
};
const exposureWords: Readonly<Record<string, string>> = {
  entity: 'its entity',
  risk_type: 'its risk type',
  exposure_type: 'it',
  hop_num: 'its number of hops',
  volume_usd: 'its value in USD',
  percent: 'its share in per cent',
  side: 'its side',
};
const windowFields: Readonly<Record<string, string>> = {
  count: 'the number of',
  usd: 'the value in USD of',
  known_usd: 'the known value in USD of',
  unknown_count: 'the number of unknown value among the',
};
const comparisons = {
  '==': 'is',
  '!=': 'is not',
  '>': 'is above',
  '>=': 'is at least',
  '<': 'is below',
  '<=': 'is at most',
} as const;
const sums = { '+': 'plus', '-': 'minus', '*': 'times' } as const;
const loops: Readonly<Record<string, string>> = {
  exists: 'there is an exposure such that',
  exists_one: 'there is exactly one exposure such that',
  all: 'each exposure is such that',
};
const textTests: Readonly<Record<string, string>> = { startsWith: 'begins with', endsWith: 'ends with', contains: 'contains' };
const textForms: Readonly<Record<string, string>> = { lowerAscii: 'in lower case', upperAscii: 'in upper case' };
const timeParts: Readonly<Record<string, string>> = {
  getHours: 'the hour',
  getMinutes: 'the minute',
  getDayOfWeek: 'the day of the week (0: Sunday)',
  getDayOfMonth: 'the day of the month (from 0)',
  getMonth: 'the month (from 0)',
  getFullYear: 'the year',
};

function wordsOf(node: ASTNode, windows: Windows): string {
  const of = (part: ASTNode): string => wordsOf(part, windows);
  // What binds otherwise within it is set apart.
  const apart = (part: ASTNode, isPlain: boolean): string => (isPlain ? of(part) : `(${of(part)})`);
  switch (node.op) {
    case '&&':
    case '||': {
      const [left, right] = node.args;
      const side = (part: ASTNode): string => apart(part, !isJoint(part) || part.op === node.op);
      return `${side(left)} ${node.op === '&&' ? 'and' : 'or'} ${side(right)}`;
    }
    case '==':
    case '!=':
    case '>':
    case '>=':
    case '<':
    case '<=': {
      const [left, right] = node.args;
      return `${of(left)} ${comparisons[node.op]} ${of(right)}`;
    }
    case '+':
    case '-':
    case '*': {
      const [left, right] = node.args;
      return `${apart(left, !(left.op in sums) || left.op === node.op)} ${sums[node.op]} ${apart(right, !(right.op in sums))}`;
    }
    case 'in': {
      const [left, right] = node.args;
      return right.op === 'list' ? `${of(left)} is one of ${of(right)}` : `${of(right)} contain ${of(left)}`;
    }
    case '!_':
      return negated(node.args, windows);
    case 'list':
      return node.args.map(of).join(', ');
    case 'value':
      return valueWords(node.args);
    case '.':
      return pathWords(node, windows);
    case 'call':
      return callWords(node.args, windows);
    case 'rcall':
      return methodWords(node.args, windows);
    case '%':
    case '/':
    case '-_':
    case '?:':
    case '.?':
    case '[]':
    case '[?]':
    case 'id':
    case 'map':
      throw new NoWords();
  }
}

function isJoint({ op }: ASTNode): boolean {
  return op === '&&' || op === '||';
}

function negated(part: ASTNode, windows: Windows): string {
  if (part.op === 'call' && part.args[0] === 'has') return `${known(part.args, windows)} is not known`;
  return `not (${wordsOf(part, windows)})`;
}

function known([, [part]]: [string, ASTNode[]], windows: Windows): string {
  if (part === undefined) throw new NoWords();
  const [, window] = /^history\.(\w+)$/.exec(pathOf(part)) ?? [];
  return window === undefined ? wordsOf(part, windows) : `the number of ${windowOf(window, windows)}`;
}

function valueWords(value: unknown): string {
  if (typeof value === 'string') return `“${value}”`;
  if (typeof value === 'bigint' || typeof value === 'number') return grouped(String(value));
  if (typeof value === 'boolean') return String(value);
  throw new NoWords();
}

/** `transfer.coin`, `history.day.count`, or `e.percent` of a loop. */
function pathOf(node: ASTNode): string {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return '';
  const [owner, name] = node.args;
  return `${pathOf(owner)}.${name}`;
}

function pathWords(node: ASTNode, windows: Windows): string {
  const path = pathOf(node);
  const [owner = '', name = '', field] = path.split('.');
  if (owner === 'history' && field !== undefined && windowFields[field] !== undefined)
    return `${windowFields[field]} ${windowOf(name, windows)}`;
  const words = owner === 'transfer' || owner === 'result' ? fieldWords[path] : exposureWords[name];
  if (words === undefined || owner === 'history') throw new NoWords();
  return words;
}

function windowOf(name: string, windows: Windows): string {
  const words = windows[name];
  if (words === undefined) throw new NoWords();
  return words;
}

function callWords([name, args]: [string, ASTNode[]], windows: Windows): string {
  const [first] = args;
  if (first === undefined) throw new NoWords();
  if (name === 'has') return `${known([name, args], windows)} is known`;
  if (name === 'size') return `the number of ${wordsOf(first, windows).replace(/^the /, '')}`;
  const text: unknown = first.op === 'value' ? first.args : undefined;
  if (typeof text !== 'string') throw new NoWords();
  if (name === 'decimal') return grouped(text);
  if (name === 'timestamp' || name === 'duration') return text;
  throw new NoWords();
}

function methodWords([name, target, args]: [string, ASTNode, ASTNode[]], windows: Windows): string {
  const loop = loops[name];
  if (loop !== undefined) {
    const [, condition] = args;
    if (condition === undefined || pathOf(target) !== 'result.risk_detail') throw new NoWords();
    return `${loop} (${wordsOf(condition, windows)})`;
  }
  const [first] = args;
  const test = textTests[name];
  if (test !== undefined && first !== undefined) return `${wordsOf(target, windows)} ${test} ${wordsOf(first, windows)}`;
  const form = textForms[name];
  if (form !== undefined) return `${wordsOf(target, windows)} ${form}`;
  const part = timeParts[name];
  if (part !== undefined) return `${part} of ${wordsOf(target, windows)}, in UTC,`;
  throw new NoWords();
}
