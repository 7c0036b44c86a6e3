import type { ExposureView } from '../api/types.ts';

type Hop = NonNullable<ExposureView['path']>[number];

export interface GraphNode {
  readonly id: string;
  /** `end`: of a way that was followed from a place. `folded` stands for the transfers of a way that are not drawn. */
  readonly kind: 'subject' | 'address' | 'end' | 'entity' | 'folded';
  /** Null: not known. */
  readonly address: string | null;
  /** Exposures to the entity of this address. */
  readonly exposures: readonly ExposureView[];
  /** Ways that end here and were followed from another place: no exposures of the subject. */
  readonly followed: readonly FollowedWay[];
  /** Of a folded node: the way to draw. */
  readonly way: number | null;
  readonly hidden: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  readonly hops: readonly Hop[];
  /** Hops without known transfers. */
  readonly unknown: number;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** Ways below the least value. */
  readonly dust: number;
}

export interface FollowedWay {
  /** The address that was asked about. */
  readonly of: string;
  readonly row: ExposureView;
}

export interface GraphOptions {
  /** Exposures of less USD are left out; those of unknown value stay. */
  readonly leastUsd: number;
  /** Ways that are drawn hop by hop, whatever their length. */
  readonly unfolded: ReadonlySet<number>;
  /** Ways to or from other places than the subject. Their numbers are negative, so that further ones change none. */
  readonly followed?: readonly FollowedWay[];
}

type Draft = { -readonly [field in keyof GraphNode]: GraphNode[field] } & { exposures: ExposureView[]; followed: FollowedWay[] };

/** A place is of the last kind that a way has for it. */
const kinds = ['address', 'end', 'entity', 'subject'] as const;

interface NumberedWay {
  readonly way: number;
  readonly row: ExposureView;
  /** Null: the subject. */
  readonly of: string | null;
}

/** Transfers that are drawn before further ways are folded. */
const mostTransfers = 30;

/** EVM addresses differ in case. */
const keyOf = (address: string): string => (address.startsWith('0x') ? address.toLowerCase() : address);

/** The ways of all exposures as one graph. Money goes along the edges. */
export function graphOf(rows: readonly ExposureView[], subject: string | null, { leastUsd, unfolded, followed = [] }: GraphOptions): Graph {
  const all = [...rows.map((row, at) => ({ way: at, row, of: null })), ...followed.map(({ row, of }, at) => ({ way: -1 - at, row, of }))];
  const kept = all.filter(({ row: { volume } }) => volume === null || volume >= leastUsd);
  const building = new Building(subject);
  // A part of another place's money is no part of the subject's.
  const byShare = kept.toSorted((a, b) => Number(a.of !== null) - Number(b.of !== null) || (b.row.percent ?? 0) - (a.row.percent ?? 0));
  let drawn = 0;
  for (const one of byShare) {
    const { way, row } = one;
    const length = row.path?.length ?? 0;
    const isFolded = length > 2 && !unfolded.has(way) && drawn + length > mostTransfers;
    drawn += isFolded ? 1 : length;
    building.add(one, isFolded);
  }
  return { ...building.done(), dust: all.length - kept.length };
}

class Building {
  readonly #nodes = new Map<string, Draft>();
  readonly #edges = new Map<string, { from: string; to: string; hops: Hop[]; unknown: number }>();
  readonly #subject: string | null;

  constructor(subject: string | null) {
    this.#subject = subject;
  }

  done(): Pick<Graph, 'nodes' | 'edges'> {
    return { nodes: [...this.#nodes.values()], edges: [...this.#edges.values()] };
  }

  add({ way, row, of }: NumberedWay, isFolded: boolean): void {
    const path = row.path ?? [];
    const isOut = row.side === 'out';
    const [first] = path;
    const last = path.at(-1);
    if (first === undefined || last === undefined) return this.#addUnknown({ way, row, of }, isOut);
    const [far, near] = isOut ? [last.to, first.from] : [first.from, last.to];
    this.#node(near, of === null ? 'subject' : 'address');
    this.#name(this.#node(far, of === null ? 'entity' : 'end'), row, of);
    if (!isFolded) {
      for (const hop of path) this.#connect(this.#node(hop.from).id, this.#node(hop.to).id, [hop]);
      return;
    }
    const folded = { id: `folded ${way}`, kind: 'folded', address: null, exposures: [], followed: [], way, hidden: path.length } as const;
    this.#nodes.set(folded.id, { ...folded, exposures: [], followed: [] });
    this.#connect(keyOf(first.from), folded.id, []);
    this.#connect(folded.id, keyOf(last.to), []);
  }

  /** The provider gives no transfers: the entity, the address next to the subject where it is known, and the number of hops. */
  #addUnknown({ way, row, of }: NumberedWay, isOut: boolean): void {
    const subject = of === null ? this.#node(this.#subject ?? 'subject', 'subject', this.#subject) : this.#node(of);
    const next = row.counterparty ?? null;
    const isNext = next !== null && row.hop_num <= 1;
    const kind = of === null ? 'entity' : 'end';
    const entity = isNext ? this.#node(next, kind) : this.#node(`entity ${way}`, kind, null);
    this.#name(entity, row, of);
    const between = next === null || isNext ? subject : this.#node(next);
    const link = (a: Draft, b: Draft, unknown: number): void =>
      isOut ? this.#connect(b.id, a.id, [], unknown) : this.#connect(a.id, b.id, [], unknown);
    link(entity, between, between === subject ? row.hop_num : row.hop_num - 1);
    if (between !== subject) link(between, subject, 1);
  }

  #node(text: string, kind: (typeof kinds)[number] = 'address', address: string | null = text): Draft {
    const id = keyOf(text);
    const found = this.#nodes.get(id) ?? { id, kind, address, exposures: [], followed: [], way: null, hidden: 0 };
    if (found.kind !== 'folded' && kinds.indexOf(kind) > kinds.indexOf(found.kind)) found.kind = kind;
    this.#nodes.set(id, found);
    return found;
  }

  #name(node: Draft, row: ExposureView, of: string | null): void {
    if (of !== null) node.followed.push({ of, row });
    else if (!node.exposures.includes(row)) node.exposures.push(row);
  }

  #connect(from: string, to: string, hops: readonly Hop[], unknown = 0): void {
    if (from === to) return;
    const key = JSON.stringify([from, to]);
    const edge = this.#edges.get(key) ?? { from, to, hops: [], unknown: 0 };
    // Several exposures may share a transfer.
    for (const hop of hops) if (!edge.hops.some((one) => isSame(one, hop))) edge.hops.push(hop);
    edge.unknown = Math.max(edge.unknown, unknown);
    this.#edges.set(key, edge);
  }
}

function isSame(one: Hop, other: Hop): boolean {
  return one.txid === other.txid && one.coin === other.coin && one.amount === other.amount;
}
