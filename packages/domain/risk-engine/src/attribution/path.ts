import type { Payment } from './payment.ts';
import type { Carried } from './solve.ts';
import { usdOf } from './taint.ts';

interface Followed {
  readonly payments: readonly Payment[];
  readonly carried: readonly Carried[];
  readonly byPayee: ReadonlyMap<string, readonly number[]>;
  /** Of the traced payments to the subject. */
  readonly traced: readonly number[];
}

/** Indices of payments, once there is a path to show. The same for every rule. */
export function indexByPayee(payments: readonly Payment[]): () => ReadonlyMap<string, readonly number[]> {
  let indices: ReadonlyMap<string, readonly number[]> | undefined;
  return () => (indices ??= Map.groupBy(payments.keys(), (index) => payments[index]?.payee ?? ''));
}

/** The main path of a tag's traced money: at each address the payment before that brought most of it. From the subject on. */
export function pathsTo(
  subject: string,
  payments: readonly Payment[],
  carried: readonly Carried[],
  indicesByPayee: () => ReadonlyMap<string, readonly number[]>,
): (tag: number) => readonly Payment[] {
  let followed: Followed | undefined;
  return (tag) => {
    followed ??= followedTo(subject, payments, carried, indicesByPayee());
    return walk(followed, tag);
  };
}

function followedTo(
  subject: string,
  payments: readonly Payment[],
  carried: readonly Carried[],
  byPayee: ReadonlyMap<string, readonly number[]>,
): Followed {
  const isFresh = ({ direct, mixed, returned, returnedTaint }: Carried): boolean =>
    (!direct || mixed === true) && (returned === 0 || returnedTaint !== undefined);
  const traced = (byPayee.get(subject) ?? []).filter((index) => isFresh(carried[index] as Carried));
  return { payments, carried, byPayee, traced };
}

function walk(followed: Followed, tag: number): Payment[] {
  const path: Payment[] = [];
  for (let index = largest(followed, followed.traced, tag); index !== undefined; index = before(followed, index, tag))
    path.push(followed.payments[index] as Payment);
  return path;
}

/** Always earlier, so a path ends. */
function before(followed: Followed, index: number, tag: number): number | undefined {
  const { payments, carried, byPayee } = followed;
  const [payment, one] = [payments[index], carried[index]];
  if (payment === undefined || one === undefined || one.direct) return undefined;
  const candidates = one.paidBy.length > 0 ? one.paidBy : (byPayee.get(payment.payer) ?? []);
  return largest(followed, candidates, tag, index);
}

/** Before `end`, the latest of equal ones. Undefined: none carried anything of the tag. */
function largest({ carried }: Followed, indices: readonly number[], tag: number, end = Infinity): number | undefined {
  let best: number | undefined;
  let most = 0;
  for (const index of indices) {
    if (index >= end) continue;
    const mass = usdOf((carried[index] as Carried).taint, 'mass', tag);
    if (mass > 0 && mass >= most) [best, most] = [index, mass];
  }
  return best;
}
