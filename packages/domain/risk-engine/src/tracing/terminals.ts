import { compare } from '../combine.ts';
import { worstFirst } from '../labels.ts';
import { canonicalCategory } from '../weights.ts';
import { type Carried, type Followed, nothing, type Trail, type Way } from './carried.ts';
import type { Ledger, TraceDirection } from './ledger.ts';
import type { TraceReading } from './reading.ts';
import type { ByMethod, Terminal, TerminalKind, TraceHop, TraceMethodName } from './result.ts';
import { type Leg, ownerOf } from './swaps.ts';

/** One method's answer. */
interface Traced extends Followed {
  readonly method: TraceMethodName;
}

/** All methods over the same payments. */
export interface Outcome {
  readonly direction: TraceDirection;
  /** USD, or a coin. */
  readonly unit: string;
  readonly ledger: Ledger<Leg>;
  /** Legs that are traced whole. */
  readonly starts: readonly Leg[];
  readonly traced: readonly Traced[];
}

/** Traced money that goes no further. */
export interface Ending extends Carried {
  readonly address: string;
}

/** What reached the ends, and what is kept elsewhere. A passage belongs to its service. */
export function endingsOf({ ledger: { payments, isEnd }, direction }: Outcome, { carried, kept }: Followed): Ending[] {
  const reached = payments.flatMap((leg, index) => {
    const address = direction === 'forward' ? leg.to : leg.from;
    return isEnd(address) ? [{ address, ...(carried[index] ?? nothing) }] : [];
  });
  return [...reached, ...[...kept].map(([address, each]) => ({ address: ownerOf(address), ...each }))].filter(({ value }) => value > 0);
}

const longestPath = 20;

interface Gathered {
  readonly kind: TerminalKind;
  readonly entity: string;
  readonly category: string;
  readonly addresses: Set<string>;
  readonly value: Partial<Record<TraceMethodName, number>>;
  readonly ways: Partial<Record<TraceMethodName, { readonly way: Way; readonly address: string }>>;
}

/** Most money first; an entity with all its addresses is one terminal. Without what was not read. */
export function terminalsOf(outcome: Outcome, reading: TraceReading): Terminal[] {
  const found = new Map<string, Gathered>();
  for (const traced of outcome.traced) {
    for (const ending of endingsOf(outcome, traced)) {
      const identity = identify(reading, outcome.direction, ending.address);
      if (identity === undefined) continue;
      const { key, ...terminal } = identity;
      const gathered = found.get(key) ?? { ...terminal, addresses: new Set<string>(), value: {}, ways: {} };
      found.set(key, gathered);
      gather(gathered, traced.method, ending);
    }
  }
  return [...found.values()]
    .flatMap((each) => shown(outcome, each))
    .toSorted(
      (a, b) =>
        worth(b) - worth(a) || (b.value.poison ?? 0) - (a.value.poison ?? 0) || compare(a.address, b.address) || compare(a.kind, b.kind),
    );
}

/** Poison counts money more than once. */
function worth({ value }: Terminal): number {
  return Math.max(value.haircut ?? 0, value.fifo ?? 0);
}

function gather({ addresses, value, ways }: Gathered, method: TraceMethodName, { address, value: more, main }: Ending): void {
  addresses.add(address);
  value[method] = (value[method] ?? 0) + more;
  const known = ways[method];
  if (main !== undefined && (known === undefined || main.value > known.way.value)) ways[method] = { way: main, address };
}

function identify(reading: TraceReading, direction: TraceDirection, address: string) {
  const standing = reading.standing(address);
  if (standing === 'unread') return undefined;
  const [label] = worstFirst(reading.labelsOf(address));
  const [entity, category] = label === undefined ? ['', ''] : [label.name, canonicalCategory(label.category)];
  const kind: TerminalKind = standing === 'wallet' ? (direction === 'forward' ? 'held' : 'unexplained') : standing;
  const isEntity = (kind === 'service' || kind === 'risk') && entity !== '';
  return { key: JSON.stringify(isEntity ? [kind, category, entity] : [kind, address]), kind, entity, category };
}

/** None if its money is rounding. */
function shown(outcome: Outcome, { kind, entity, category, addresses, value, ways }: Gathered): Terminal[] {
  const { traced, unit } = outcome;
  const main = traced.find(({ method }) => rounded(value[method] ?? 0, unit) > 0 && ways[method] !== undefined);
  const way = main && ways[main.method];
  if (main === undefined || way === undefined) return [];
  const all = hopsOf(outcome, main.carried, way.way.trail);
  const path = all.length > longestPath ? [...all.slice(0, longestPath / 2), ...all.slice(-longestPath / 2)] : all;
  return [
    {
      kind,
      entity,
      category,
      address: way.address,
      addresses: addresses.size,
      value: byMethod(outcome, (method) => value[method] ?? 0),
      hops: all.length,
      method: main.method,
      path_value: rounded(way.way.value, unit),
      path,
    },
  ];
}

/** In the order of time. */
function hopsOf({ ledger, direction, unit }: Outcome, carried: readonly Carried[], trail: Trail): TraceHop[] {
  const hops: TraceHop[] = [];
  for (let each: Trail | undefined = trail; each !== undefined; each = each.before) {
    const leg = ledger.payments[each.index];
    if (leg === undefined) continue;
    const { at, tx, coin, amount = null, known_usd, from, to, coin_join } = leg.movement;
    const traced = rounded(carried[each.index]?.value ?? 0, unit);
    const usd = known_usd === null ? null : rounded(known_usd, 'USD');
    const mixed = coin_join === true ? { coin_join } : {};
    hops.push({ txid: tx, time: new Date(at).toISOString(), coin, amount, usd, traced, from, to, ...mixed });
  }
  return direction === 'forward' ? hops.toReversed() : hops;
}

export function byMethod({ traced, unit }: Outcome, valueOf: (method: TraceMethodName) => number): ByMethod {
  return Object.fromEntries(traced.map(({ method }) => [method, rounded(valueOf(method), unit)]));
}

/** To cents, or to eight digits of a coin. */
export function rounded(value: number, unit: string): number {
  return Number(value.toFixed(unit === 'USD' ? 2 : 8));
}
