import { chains, parseAddress, parseTxid, readCoin } from '@weir/chains';
import { screeningId } from '@weir/contracts';
import { expressions, lastUsdBucket, unknownValue } from './migrations.ts';
import type { FilterSql, IndexedFilter } from './page.ts';
import { type Standing, standingsOf } from './states.ts';

/** Which screenings a list has. All that are given apply. */
export interface ScreeningFilter {
  readonly kind?: string;
  /** Of the latest revision. */
  readonly action?: string;
  /** Only screenings without a decision. */
  readonly isOpen?: boolean;
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
  /** The same, at most. */
  readonly max_usd?: string;
}

/** Column names of `console.screenings` are those of the alias `s` in every query of screenings. */
const declaredUsd = "console.usd(s.request -> 'transfer' ->> 'usd_value')";

/** As the indexes by value have it. */
export const indexedValue = `coalesce(${declaredUsd}, ${unknownValue})`;

/** Appends to `values`. */
export function sqlOf(filter: ScreeningFilter, values: unknown[]): FilterSql {
  const take = (value: unknown): string => `$${values.push(value)}`;
  const { kind, action, isOpen = false, level, source_id: source, txid, chain, reason, since, until } = filter;
  const add = (to: string[], value: unknown, condition: (parameter: string) => string): void => {
    if (value !== undefined) to.push(condition(take(value)));
  };
  const stateConditions: string[] = [];
  add(stateConditions, kind, (value) => `s.kind = ${value}`);
  add(stateConditions, action, (value) => `s.action = ${value}`);
  add(stateConditions, level, (value) => `s.level = ${value}`);
  if (isOpen) stateConditions.push('s.action IS NULL');
  const times: string[] = [];
  add(times, since, (value) => `s.requested_at >= ${value}`);
  add(times, until, (value) => `s.requested_at < ${value}`);
  const conditions = txid === undefined ? [] : ["s.request ->> 'subject_type' = 'txid'"];
  add(conditions, chain, (value) => `s.request -> 'transfer' ->> 'chain' = ${value}`);
  add(conditions, reason, (value) => `s.decisions -> s.revision::text -> 'reason_codes' ? ${value}`);
  return {
    ids: source && `${take([screeningId('deposit', source), screeningId('withdrawal', source)])}::uuid[]`,
    states: { kind, level, standings: standingsOfFilter(action, isOpen) },
    stateConditions,
    indexed: indexedOf(filter, take),
    times,
    conditions,
  };
}

/** Undefined: each. */
function standingsOfFilter(action: string | undefined, isOpen: boolean): Standing[] | undefined {
  if (isOpen) return action === undefined ? ['open'] : [];
  return action === undefined ? undefined : standingsOf(action);
}

function indexedOf(
  { txid, subject, user_id: user, address, rule, coin, min_usd: least, max_usd: most }: ScreeningFilter,
  take: (value: unknown) => string,
): IndexedFilter[] {
  const found: IndexedFilter[] = [];
  const add = (all: readonly string[], keys: string): void => {
    const condition = `(${all.map((expression) => `${expression} IN (${keys})`).join(' OR ')})`;
    found.push({ expressions: all, keys, keyType: 'text', hasState: true, isExact: true, condition });
  };
  const comparable = (text: string): string =>
    `SELECT DISTINCT console.comparable(form) AS key FROM unnest(${take(formsOf(text))}::text[]) AS form`;
  const same = (text: string): string => `SELECT ${take(text)}::text AS key`;
  if (txid !== undefined) add([expressions.subject], comparable(txid));
  if (subject !== undefined) add([expressions.subject], comparable(subject));
  if (user !== undefined) {
    add([expressions.user_id], same(user));
    found.push({ ...(found.pop() as IndexedFilter), inOrderOfValue: `${expressions.user_id} = ${take(user)}::text` });
  }
  if (address !== undefined) add([expressions.from_address, expressions.to_address], comparable(address));
  if (rule !== undefined) add([expressions.rule], same(rule));
  if (coin !== undefined) add([expressions.coin], same(readCoin(coin)?.symbol ?? coin));
  if (least !== undefined || most !== undefined) {
    const [from, to] = [least ?? '0', most].map((value) => value && `${take(value)}::numeric`);
    const last = to === undefined ? lastUsdBucket : `console.usd_bucket(${to})`;
    const keys = `SELECT key FROM generate_series(console.usd_bucket(${from}), ${last}) AS key`;
    const condition = `${declaredUsd} >= ${from}${to === undefined ? '' : ` AND ${declaredUsd} <= ${to}`}`;
    const valueBounds = condition.replaceAll(declaredUsd, indexedValue);
    found.push({
      expressions: [expressions.usd_bucket],
      keys,
      keyType: 'integer',
      hasState: false,
      isExact: false,
      condition,
      valueBounds,
    });
  }
  return found;
}

/** A transfer has its addresses in their chain's form; one that is no address of its chain is as it was given. */
export function formsOf(text: string): string[] {
  return [...new Set([text, ...chains.flatMap((chain) => [parseAddress(chain, text) ?? text, parseTxid(chain, text) ?? text])])];
}
