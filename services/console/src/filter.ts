import { chains, parseAddress, parseTxid, readCoin } from '@weir/chains';
import { screeningId } from '@weir/contracts';
import { expressions, lastUsdBucket } from './migrations.ts';
import type { Branch } from './page.ts';

/** Which screenings a list has. All that are given apply. */
export interface ScreeningFilter {
  readonly kind?: string;
  /** Of the latest revision. */
  readonly action?: string;
  /** Of the latest result. */
  readonly level?: string;
  readonly subject?: string;
  /** Either side of the transfer. */
  readonly address?: string;
  readonly user_id?: string;
  /** The deposit_id or withdrawal_id. */
  readonly source_id?: string;
  readonly txid?: string;
  readonly chain?: string;
  readonly coin?: string;
  /** The last rule of the policy that made a revision. */
  readonly rule?: string;
  /** A reason code of the latest revision. */
  readonly reason?: string;
  /** Requested at this time or later. */
  readonly since?: Date;
  /** Requested before this time. */
  readonly until?: Date;
  /** Declared value, decimal. An unknown value is in no such list. */
  readonly min_usd?: string;
}

/** SQL of a filter over `console.screenings s`. */
export interface FilterSql {
  readonly conditions: readonly string[];
  readonly branches: readonly Branch[];
}

/** Column names of `console.screenings` are those of the alias `s` in every query of screenings. */
const usd = "console.usd(s.request -> 'transfer' ->> 'usd_value')";

/** Appends to `values`. */
export function sqlOf(filter: ScreeningFilter, values: unknown[]): FilterSql {
  const take = (value: unknown): string => `$${values.push(value)}`;
  const conditions = conditionsOf(filter, take);
  const { user_id: user, source_id: source, subject, txid, address, min_usd: least } = filter;
  const keysOf = (text: string): string =>
    `SELECT DISTINCT console.comparable(form) AS key FROM unnest(${take(formsOf(text))}::text[]) AS form`;
  if (txid !== undefined) conditions.push("s.request ->> 'subject_type' = 'txid'");
  // Few rows have one user or source, and then every other filter is a condition.
  const isNarrow = user !== undefined || source !== undefined;
  const branches: Branch[] = [];
  for (const text of [txid, subject].filter((each) => each !== undefined)) {
    const keys = keysOf(text);
    if (isNarrow || branches.length > 0) conditions.push(`s.subject IN (${keys})`);
    else branches.push({ expression: 's.subject', keys });
  }
  if (address !== undefined) {
    const keys = keysOf(address);
    const sides = [expressions.from_address, expressions.to_address];
    if (isNarrow || branches.length > 0) conditions.push(`(${sides.map((side) => `${side} IN (${keys})`).join(' OR ')})`);
    else branches.push(...sides.map((expression) => ({ expression, keys })));
  }
  if (least !== undefined) {
    const value = take(least);
    conditions.push(`${usd} >= ${value}::numeric`);
    const keys = `SELECT key FROM generate_series(console.usd_bucket(${value}::numeric), ${lastUsdBucket}) AS key`;
    if (!isNarrow && branches.length === 0) branches.push({ expression: expressions.usd_bucket, keys });
  }
  return { conditions, branches };
}

function conditionsOf(filter: ScreeningFilter, take: (value: unknown) => string): string[] {
  const { kind, action, level, user_id: user, source_id: source, chain, coin, rule, reason, since, until } = filter;
  const conditions: string[] = [];
  const add = (value: unknown, condition: (parameter: string) => string): void => {
    if (value !== undefined) conditions.push(condition(take(value)));
  };
  add(kind, (value) => `s.kind = ${value}`);
  add(action, (value) => `s.action = ${value}`);
  add(level, (value) => `s.level = ${value}`);
  add(user, (value) => `${expressions.user_id} = ${value}`);
  add(source && [screeningId('deposit', source), screeningId('withdrawal', source)], (value) => `s.screening_id = ANY(${value}::uuid[])`);
  add(chain, (value) => `s.request -> 'transfer' ->> 'chain' = ${value}`);
  add(coin && (readCoin(coin)?.symbol ?? coin), (value) => `${expressions.coin} = ${value}`);
  add(rule, (value) => `${expressions.rule} = ${value}`);
  add(reason, (value) => `s.decisions -> s.revision::text -> 'reason_codes' ? ${value}`);
  add(since, (value) => `s.requested_at >= ${value}`);
  add(until, (value) => `s.requested_at < ${value}`);
  return conditions;
}

/** A transfer has its addresses in their chain's form; one that is no address of its chain is as it was given. */
function formsOf(text: string): string[] {
  return [...new Set([text, ...chains.flatMap((chain) => [parseAddress(chain, text) ?? text, parseTxid(chain, text) ?? text])])];
}
