import {
  type ASTNode,
  type Context,
  type Environment,
  EvaluationError,
  evaluate,
  ParseError,
  TypeError as CelTypeError,
} from '@marcbachmann/cel-js';
import { Decimal } from './decimal.ts';
import { limits } from './language.ts';
import { closedTexts, fields, functions, loops } from './vocabulary.ts';

/** `start` and `end` are offsets. */
export interface ExpressionFault {
  readonly start: number;
  readonly end: number;
  readonly message: string;
  readonly hint?: string;
}

/** Characters. */
const longest = 2_000;

export type Program = (variables: Context) => boolean;

export function compile(env: Environment, text: string): Program | readonly ExpressionFault[] {
  if (text.length > longest) return [{ start: 0, end: 1, message: `is longer than ${longest} characters` }];
  try {
    const parsed = env.parse(text);
    const faults = [...faultsOf(parsed.ast), ...constantFault(parsed.ast)];
    if (faults.length > 0) return faults;
    const { valid, type, error } = parsed.check();
    if (!valid) return [toFault(error, text)];
    if (String(type) !== 'bool') return [{ start: 0, end: text.length, message: `gives ${String(type)}, a rule needs true or false` }];
    return (variables) => {
      const result: unknown = parsed(variables);
      if (typeof result !== 'boolean') throw new TypeError('gives neither true nor false');
      return result;
    };
  } catch (error) {
    return [toFault(error, text)];
  }
}

function toFault(error: unknown, text: string): ExpressionFault {
  if (!(error instanceof ParseError || error instanceof CelTypeError || error instanceof EvaluationError)) throw error;
  const { start, end } = error.range ?? { start: 0, end: text.length };
  if (error.code === 'limit_exceeded')
    return {
      start,
      end,
      message: `is too large: ${Object.entries(limits)
        .map(([name, most]) => `${name} ${most}`)
        .join(', ')}`,
    };
  const hint = hintOf(error.code, error.summary, text.slice(0, start));
  return { start, end: Math.max(end, start + 1), message: lowerFirst(error.summary), ...(hint === undefined ? {} : { hint }) };
}

function hintOf(code: string, summary: string, before: string): string | undefined {
  if (code === 'unknown_variable') return 'there are transfer, result and history';
  if (code === 'no_such_key') {
    const owner = /(\w+)(?:\.\w+)?\.$/.exec(before)?.[1] ?? '';
    if (before.endsWith('history.')) return 'name the window under history: first';
    const known = /history\.\w+\.$/.test(before) ? fields.window : ((fields as Record<string, object>)[owner] ?? fields.exposure);
    return `there are ${Object.keys(known).join(', ')}`;
  }
  if (summary.includes('decimal') && summary.includes('double'))
    return 'write amounts with a fraction as decimal("1000.50"), which is exact';
  if (summary.includes('decimal') && summary.includes('string')) return 'write amounts as decimal("1000.50")';
  if (summary.includes('decimal') && summary.includes('null')) return 'what is unknown has no value: ask has(transfer.usd_value)';
  if (code === 'unexpected_token' && summary.includes('EOF')) return 'something is missing at the end';
  return undefined;
}

type Node = ASTNode;

/** Valid CEL that a policy may not use. */
function faultsOf(ast: Node): ExpressionFault[] {
  const faults: ExpressionFault[] = [];
  const say = ({ start, end }: Node, message: string, hint?: string): void =>
    void faults.push({ start, end, message, ...(hint === undefined ? {} : { hint }) });
  const walk = (node: Node, inLoop: boolean): void => {
    if (node.op === 'call' || node.op === 'rcall') {
      const name = node.args[0];
      if (!functions.includes(name)) say(node, `there is no function ${name}`, `there are ${functions.join(', ')}`);
      const isLoop = node.op === 'rcall' && loops.includes(name);
      // Nested loops take quadratic time on long lists.
      if (isLoop && inLoop) say(node, `${name} stands within another ${loops.join(', ')}`, 'write one after the other');
      if (name === 'decimal') checkDecimal(node, say);
      if (name === 'timestamp' || name === 'duration') checkTime(node, name, say);
      // Time zone rules differ between machines, and a replay must not.
      if (name.startsWith('get') && childrenOf(node).length > 1) say(node, `${name} takes no time zone`, 'times are in UTC');
      for (const child of childrenOf(node)) walk(child, inLoop || isLoop);
      return;
    }
    if (node.op === '==' || node.op === '!=' || node.op === 'in') checkTexts(node, say);
    for (const child of childrenOf(node)) walk(child, inLoop);
  };
  walk(ast, false);
  return faults;
}

type Say = (node: Node, message: string, hint?: string) => void;

function checkDecimal(node: Node, say: Say): void {
  const [, args] = node.args as [string, Node[]];
  const text: unknown = args[0]?.op === 'value' ? args[0].args : undefined;
  if (typeof text !== 'string' || Decimal.parse(text) === undefined)
    say(node, 'decimal needs a number in quotes', 'such as decimal("1000.50")');
}

const timeExamples = { timestamp: 'timestamp("2031-01-31T00:00:00Z")', duration: 'duration("36h")' } as const;

/** An unreadable literal would fail for every transfer, and one without a zone would use the machine's. */
function checkTime(node: Node, name: keyof typeof timeExamples, say: Say): void {
  const [, args] = node.args as [string, Node[]];
  const text: unknown = args[0]?.op === 'value' ? args[0].args : undefined;
  if (typeof text !== 'string' || !isTime(name, text))
    say(node, `${name} needs a ${name === 'timestamp' ? 'time with its zone' : 'span'} in quotes`, `such as ${timeExamples[name]}`);
}

function isTime(name: keyof typeof timeExamples, text: string): boolean {
  if (name === 'timestamp' && !/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(text)) return false;
  try {
    evaluate(`${name}(${JSON.stringify(text)})`);
    return true;
  } catch {
    return false;
  }
}

/** Such a rule would never match, so it is a typing error. */
function checkTexts(node: Node, say: Say): void {
  const [left, right] = node.args as [Node, Node];
  const path = [pathOf(left), pathOf(left).split('.').at(-1) ?? ''].find((name) => Object.hasOwn(closedTexts, name));
  const allowed = path === undefined ? undefined : closedTexts[path];
  if (allowed === undefined) return;
  for (const value of right.op === 'list' ? right.args : [right]) {
    if (value.op === 'value' && typeof value.args === 'string' && !allowed.includes(value.args))
      say(
        value,
        `${pathOf(left)} is never ${JSON.stringify(value.args)}`,
        `it is one of ${allowed.map((text) => JSON.stringify(text)).join(', ')}`,
      );
  }
}

function pathOf(node: Node): string {
  if (node.op === 'id') return node.args;
  if (node.op !== '.') return '';
  const [owner, name] = node.args;
  return `${pathOf(owner)}.${name}`;
}

/** A rule that reads no variable matches always or never. */
function constantFault(ast: Node): ExpressionFault[] {
  const reads = (node: Node): boolean => node.op === 'id' || childrenOf(node).some(reads);
  return reads(ast) ? [] : [{ start: ast.start, end: ast.end, message: 'looks at nothing, so it is the same for every transfer' }];
}

function childrenOf(node: Node): Node[] {
  const nodes = (value: unknown): Node[] =>
    Array.isArray(value) ? value.flatMap(nodes) : typeof value === 'object' && value !== null && 'op' in value ? [value as Node] : [];
  return nodes(node.args);
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
