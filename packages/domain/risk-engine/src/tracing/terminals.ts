import { compare } from '../combine.ts';
import { worstFirst } from '../labels.ts';
import { canonicalCategory } from '../weights.ts';
import { type Carried, type Followed, nothing, type Trail, type Way } from './carried.ts';
import type { Ledger, TraceDirection } from './ledger.ts';
import type { TraceReading } from './reading.ts';
import type { ByMethod, Terminal, TerminalKind, TraceHop, TraceMethodName } from './result.ts';
import { type Leg, ownerOf } from './swaps.ts';

/** One method's answer. */
export interface Traced extends Followed {
  readonly method: TraceMethodName;
}

/** All methods over the same payments. */
export interface Outcome {
  readonly direction: TraceDirection;
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
  return [...reached, ...[...kept].map(([address, each]) => ({ address: ownerOf(address), ...each }))].filter(({ usd }) => usd > 0);
}

/** Less is rounding. */
const leastUsd = 0.005;
const longestPath = 20;

interface Gathered {
  readonly kind: TerminalKind;
  readonly entity: string;
  readonly category: string;
  readonly addresses: Set<string>;
  readonly usd: Partial<Record<TraceMethodName, number>>;
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
      const gathered = found.get(key) ?? { ...terminal, addresses: new Set<string>(), usd: {}, ways: {} };
      found.set(key, gathered);
      gather(gathered, traced.method, ending);
    }
  }
  return [...found.values()]
    .flatMap((each) => shown(outcome, each))
    .toSorted(
      (a, b) =>
        worth(b) - worth(a) || (b.usd.poison ?? 0) - (a.usd.poison ?? 0) || compare(a.address, b.address) || compare(a.kind, b.kind),
    );
}

/** Poison counts money more than once. */
function worth({ usd }: Terminal): number {
  return Math.max(usd.haircut ?? 0, usd.fifo ?? 0);
}

function gather({ addresses, usd, ways }: Gathered, method: TraceMethodName, { address, usd: more, main }: Ending): void {
  addresses.add(address);
  usd[method] = (usd[method] ?? 0) + more;
  const known = ways[method];
  if (main !== undefined && (known === undefined || main.usd > known.way.usd)) ways[method] = { way: main, address };
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
function shown({ direction, ledger, traced }: Outcome, { kind, entity, category, addresses, usd, ways }: Gathered): Terminal[] {
  const main = traced.find(({ method }) => (usd[method] ?? 0) >= leastUsd && ways[method] !== undefined);
  const way = main && ways[main.method];
  if (main === undefined || way === undefined) return [];
  const { method, carried } = main;
  const all = hopsOf(ledger, carried, way.way.trail, direction);
  const path = all.length > longestPath ? [...all.slice(0, longestPath / 2), ...all.slice(-longestPath / 2)] : all;
  const [path_usd, hops] = [cents(way.way.usd), all.length];
  return [
    {
      kind,
      entity,
      category,
      address: way.address,
      addresses: addresses.size,
      usd: byMethod(traced, (name) => usd[name] ?? 0),
      hops,
      method,
      path_usd,
      path,
    },
  ];
}

/** In the order of time. */
function hopsOf({ payments }: Ledger<Leg>, carried: readonly Carried[], trail: Trail, direction: TraceDirection): TraceHop[] {
  const hops: TraceHop[] = [];
  for (let each: Trail | undefined = trail; each !== undefined; each = each.before) {
    const leg = payments[each.index];
    if (leg === undefined) continue;
    const { at, tx, coin, amount = null, usd, from, to, coin_join } = leg.movement;
    const traced_usd = cents(carried[each.index]?.usd ?? 0);
    const mixed = coin_join === true ? { coin_join } : {};
    hops.push({ txid: tx, time: new Date(at).toISOString(), coin, amount, usd: cents(usd), traced_usd, from, to, ...mixed });
  }
  return direction === 'forward' ? hops.toReversed() : hops;
}

export function byMethod(traced: readonly Traced[], usdOf: (method: TraceMethodName) => number): ByMethod {
  return Object.fromEntries(traced.map(({ method }) => [method, cents(usdOf(method))]));
}

export function cents(usd: number): number {
  return Math.round(usd * 100) / 100;
}
