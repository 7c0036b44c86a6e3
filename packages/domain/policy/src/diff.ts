import { compareAmounts, parseAmount } from '@weir/chains';
import type { Action, Kind } from '@weir/contracts';
import { defaultMaxAgeDays, defaultTolerance } from './contradicted.ts';
import { diffRules, type PolicyChange } from './diff-rules.ts';
import { defaultIllicitValue } from './illicit-value.ts';
import type { Cell, Policy } from './policy.ts';
import { defaultDustUsd } from './sanctions.ts';

export type { PolicyChange } from './diff-rules.ts';

const lines = ['Severe', 'High', 'Moderate', 'Low', 'NO_DATA', 'UNAVAILABLE', 'UNSUPPORTED', 'INVALID'] as const;
const kinds: readonly Kind[] = ['deposit', 'withdrawal'];

/** Empty when no decision can differ. */
export function diffPolicies(before: Policy, after: Policy): PolicyChange[] {
  return [
    ...kinds.flatMap((kind) =>
      change(
        `${upperFirst(kind)}s with a direct exposure to a sanctioned entity`,
        before.sanctioned_exposure[kind],
        after.sanctioned_exposure[kind],
      ),
    ),
    ...kinds.flatMap((kind) => lines.flatMap((line) => diffCell(wordsOf[line](kind), before[kind][line], after[kind][line]))),
    ...diffLimits(limitsOf(before), limitsOf(after)),
    ...diffRules(before, after),
  ];
}

/** A limit beside the table, with the value that is in force where the policy names none. */
export interface PolicyLimit {
  readonly about: string;
  readonly value: string;
}

/** In a fixed order. */
export function limitsOf(policy: Policy): PolicyLimit[] {
  const illicit = policy.illicit_value ?? defaultIllicitValue;
  const dust = policy.sanctioned_dust_usd ?? defaultDustUsd;
  return [
    {
      about: 'Declared values below the known value are held from this factor (value_tolerance)',
      value: policy.value_tolerance ?? defaultTolerance,
    },
    { about: 'Days that a known price may be old (price_max_age_days)', value: String(policy.price_max_age_days ?? defaultMaxAgeDays) },
    { about: 'Dust received from a sanctioned entity is reviewed below this USD value (sanctioned_dust_usd)', value: dust },
    {
      about: 'Money received from sanctioned entities in all is reviewed below this USD value (sanctioned_received_usd)',
      value: policy.sanctioned_received_usd ?? dust,
    },
    { about: 'Illicit money received is reviewed from this USD value (illicit_value)', value: illicit.review_from_usd },
    { about: 'Illicit money received is reviewed from this share of the transfer (illicit_value)', value: illicit.share_of_transfer },
    { about: 'The share of the transfer counts from this USD value of illicit money (illicit_value)', value: illicit.from_usd },
  ];
}

function diffLimits(before: readonly PolicyLimit[], after: readonly PolicyLimit[]): PolicyChange[] {
  return after.flatMap(({ about, value: to }, n) => {
    const from = before[n]?.value ?? '';
    return from === to ? [] : [{ about, from, to, text: `${about}: ${from} → ${to}` }];
  });
}

const wordsOf: Readonly<Record<(typeof lines)[number], (kind: Kind) => string>> = {
  Severe: (kind) => `Severe ${kind}s`,
  High: (kind) => `High ${kind}s`,
  Moderate: (kind) => `Moderate ${kind}s`,
  Low: (kind) => `Low ${kind}s`,
  NO_DATA: (kind) => `${upperFirst(kind)}s of which nothing is known (NO_DATA)`,
  UNAVAILABLE: (kind) => `${upperFirst(kind)}s without an answer (UNAVAILABLE)`,
  UNSUPPORTED: (kind) => `${upperFirst(kind)}s of an unsupported coin (UNSUPPORTED)`,
  INVALID: (kind) => `${upperFirst(kind)}s that cannot be asked about (INVALID)`,
};

function change(about: string, from: Action, to: Action): PolicyChange[] {
  return from === to ? [] : [{ about, from, to, text: `${about}: ${from} → ${to}` }];
}

/** Compares each range of value that either cell distinguishes. */
function diffCell(about: string, before: Cell, after: Cell): PolicyChange[] {
  const limits = [before, after]
    .flatMap((cell) => (typeof cell === 'string' ? [] : [parseAmount(cell.review_from_usd) ?? '0']))
    .sort(compareAmounts);
  const bounds = [...new Set(['0', ...limits])];
  const ranges = bounds.map((from, at) => ({
    words: rangeWords(from, bounds[at + 1]),
    before: actionAt(before, from),
    after: actionAt(after, from),
  }));
  const all = [...ranges, { words: ' of unknown value', before: unknown(before), after: unknown(after) }];
  const [first] = all;
  if (first !== undefined && all.every((range) => range.before === first.before && range.after === first.after))
    return change(about, first.before, first.after);
  return all.flatMap((range) => change(`${about}${range.words}`, range.before, range.after));
}

function actionAt(cell: Cell, usd: string): Action {
  if (typeof cell === 'string') return cell;
  return compareAmounts(usd, parseAmount(cell.review_from_usd) ?? '0') >= 0 ? 'review' : cell.below;
}

function unknown(cell: Cell): Action {
  return typeof cell === 'string' ? cell : cell.unknown_value;
}

function rangeWords(from: string, to: string | undefined): string {
  if (from === '0') return to === undefined ? ' of known value' : ` below ${grouped(to)} USD`;
  return to === undefined ? ` from ${grouped(from)} USD` : ` from ${grouped(from)} to below ${grouped(to)} USD`;
}

/** Whole digits in groups of three. */
export function grouped(amount: string): string {
  const [whole = '', fraction] = amount.split('.');
  const groups = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? groups : `${groups}.${fraction}`;
}

function upperFirst(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
