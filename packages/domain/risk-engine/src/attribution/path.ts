import type { Payment } from './payment.ts';
import type { Carried } from './solve.ts';

interface Followed {
  readonly payments: readonly Payment[];
  readonly carried: readonly Carried[];
  readonly byPayee: ReadonlyMap<string, readonly number[]>;
}

/** The main path of a tag's traced money: at each address the payment before that brought most of it. From the subject on. */
export function pathsTo(subject: string, payments: readonly Payment[], carried: readonly Carried[]): (tag: number) => readonly Payment[] {
  let followed: Followed | undefined;
  return (tag) => {
    followed ??= indexed(payments, carried);
    const received = followed.byPayee.get(subject) ?? [];
    const isFresh = ({ direct, returned, returnedTaint }: Carried): boolean => !direct && (returned === 0 || returnedTaint !== undefined);
    const traced = received.filter((index) => carried.slice(index, index + 1).some(isFresh));
    return walk(followed, largest(followed, traced, tag), tag);
  };
}

/** Only where there is a path to show. */
function indexed(payments: readonly Payment[], carried: readonly Carried[]): Followed {
  const byPayee = indicesBy(payments, ({ payee }) => payee);
  return { payments, carried, byPayee };
}

function walk(followed: Followed, start: number | undefined, tag: number): Payment[] {
  const path: Payment[] = [];
  for (let index = start; index !== undefined; index = before(followed, index, tag))
    path.push(...followed.payments.slice(index, index + 1));
  return path;
}

/** Always earlier, so a path ends. */
function before(followed: Followed, index: number, tag: number): number | undefined {
  const { payments, carried, byPayee } = followed;
  const [payment, one] = [payments[index], carried[index]];
  if (payment === undefined || one === undefined || one.direct) return undefined;
  const candidates = one.paidBy.length > 0 ? one.paidBy : (byPayee.get(payment.payer) ?? []);
  return largest(
    followed,
    candidates.filter((other) => other < index),
    tag,
  );
}

/** The latest of equal ones. Undefined: none carried anything of the tag. */
function largest({ carried }: Followed, indices: readonly number[], tag: number): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const index of indices) {
    const mass = carried[index]?.taint.mass[tag] ?? 0;
    if (mass > 0 && mass >= most) [best, most] = [index, mass];
  }
  return best;
}

function indicesBy(payments: readonly Payment[], keyOf: (payment: Payment) => string): Map<string, number[]> {
  return Map.groupBy(payments.keys(), (index) => keyOf(payments[index] as Payment));
}
