import type { Side } from '../store.ts';
import type { LabelRow, TransferRow } from '../testing.ts';
import { riskTypes, weightOf } from '../weights.ts';

/** `entities` by name. */
export interface Exact {
  readonly entities: Map<string, number>;
  services: number;
  ends: number;
  /** At the last hop. */
  left: number;
}

interface Rows {
  readonly transfers: readonly TransferRow[];
  readonly labels: readonly LabelRow[];
}

/** The definition of attribution: every path and transfer by itself, no cut-off. One label per address. */
export function exactSide(rows: Rows, subject: string, side: Side, hops: number): Exact {
  const exact: Exact = { entities: new Map(), services: 0, ends: 0, left: 0 };
  follow(rows, { subject, side, hops }, { address: subject, hop: 0, mass: 1 }, exact);
  return exact;
}

interface Walk {
  readonly subject: string;
  readonly side: Side;
  readonly hops: number;
}

function follow(rows: Rows, walk: Walk, at: { address: string; hop: number; mass: number }, exact: Exact): void {
  if (at.hop === walk.hops) {
    exact.left += at.mass;
    return;
  }
  const given = transfersOf(rows, at.address, walk.side);
  const both = [...transfersOf(rows, at.address, 'in'), ...transfersOf(rows, at.address, 'out')];
  const weights = weigh(given, at.hop === 0 ? both : given);
  if (given.length === 0) exact.ends += at.mass;
  given.forEach((transfer, index) => {
    const other = (walk.side === 'in' ? transfer.from : transfer.to) ?? '';
    const mass = at.mass * (weights[index] ?? 0);
    const known = rows.labels.find(({ address }) => address === other);
    const weight = weightOf(known?.category ?? 'ordinary');
    if (other === walk.subject) exact.ends += mass;
    else if (known !== undefined && riskTypes.some((type) => type === weight.risk_type)) {
      exact.entities.set(known.name, (exact.entities.get(known.name) ?? 0) + mass);
    } else if (weight.service) exact.services += mass;
    else follow(rows, walk, { address: other, hop: at.hop + 1, mass }, exact);
  });
}

function transfersOf({ transfers, labels }: Rows, address: string, side: Side): TransferRow[] {
  return transfers.filter(({ from, to }) => {
    const [own, other] = side === 'in' ? [to, from] : [from, to];
    const token = labels.some((label) => label.address === other && weightOf(label.category).token === true);
    return own === address && other !== null && other !== address && !token;
  });
}

/**
 * Each transfer's share of `given`. An unknown value is the mean of the known ones in `all`; together they are at most the known sum.
 * Without a positive value each transfer counts the same.
 */
function weigh(given: readonly TransferRow[], all: readonly TransferRow[]): number[] {
  const known = all.flatMap(({ usd }) => (usd === null ? [] : [usd]));
  const mean = known.reduce((sum, usd) => sum + usd, 0) / Math.max(known.length, all.length - known.length, 1);
  const values = mean > 0 ? given.map(({ usd }) => usd ?? mean) : given.map(() => 1);
  const total = values.reduce((sum, value) => sum + value, 0);
  if (total > 0) return values.map((value) => value / total);
  return given === all ? given.map(() => 1 / given.length) : weigh(given, given);
}
