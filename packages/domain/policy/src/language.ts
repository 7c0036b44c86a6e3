import { Environment } from '@marcbachmann/cel-js';
import { Decimal } from './decimal.ts';
import { fields } from './vocabulary.ts';

// A rule's records. An absent field is unknown: reading it fails, and `has(…)` tests for it.
// oxlint-disable-next-line typescript/no-extraneous-class -- CEL knows records by their class
class Fields {
  constructor(known: object) {
    Object.assign(this, known);
  }
}
export class TransferFacts extends Fields {}
export class ResultFacts extends Fields {}
export class ExposureFacts extends Fields {}
export class HistoryFacts extends Fields {}
export class WindowFacts extends Fields {}

/** Enough for any expression that a person can read. */
export const limits = { maxAstNodes: 300, maxDepth: 30, maxListElements: 200, maxMapEntries: 1, maxCallArguments: 4 } as const;

const comparisons = {
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
} as const;

/** The windows of a policy are fields of `history`. */
export function environmentOf(windows: readonly string[]): Environment {
  return common
    .clone()
    .registerType('history', { ctor: HistoryFacts, fields: Object.fromEntries(windows.map((name) => [name, 'window'])) })
    .registerVariable('history', 'history');
}

/** Copied, because a policy is compiled for each backtest and each draft. */
const common = environmentOfAll();

function environmentOfAll(): Environment {
  const env = new Environment({ limits })
    .registerType('decimal', { ctor: Decimal, fields: {} })
    .registerType('transfer', { ctor: TransferFacts, fields: fields.transfer })
    .registerType('exposure', { ctor: ExposureFacts, fields: fields.exposure })
    .registerType('result', { ctor: ResultFacts, fields: fields.result })
    .registerType('window', { ctor: WindowFacts, fields: fields.window })
    .registerVariable('transfer', 'transfer')
    .registerVariable('result', 'result')
    .registerFunction('decimal(string): decimal', (text: string) => {
      const value = Decimal.parse(text);
      if (value === undefined) throw new RangeError('not a decimal');
      return value;
    });
  for (const [sign, holds] of Object.entries(comparisons)) {
    env.registerOperator(`decimal ${sign} decimal`, (a: Decimal, b: Decimal) => holds(a.compare(b)));
    env.registerOperator(`decimal ${sign} int`, (a: Decimal, b: bigint) => holds(a.compare(Decimal.ofWhole(b))));
    env.registerOperator(`int ${sign} decimal`, (a: bigint, b: Decimal) => holds(Decimal.ofWhole(a).compare(b)));
  }
  return env
    .registerOperator('decimal == decimal', (a: Decimal, b: Decimal) => a.compare(b) === 0)
    .registerOperator('decimal == int', (a: Decimal, b: bigint) => a.compare(Decimal.ofWhole(b)) === 0)
    .registerOperator('decimal + decimal', (a: Decimal, b: Decimal) => new Decimal(a.units + b.units))
    .registerOperator('decimal - decimal', (a: Decimal, b: Decimal) => new Decimal(a.units - b.units))
    .registerOperator('decimal * int', (a: Decimal, b: bigint) => new Decimal(a.units * b));
}
