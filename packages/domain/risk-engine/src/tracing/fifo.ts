import { type Carried, keep, nothing, stepsOf, type TraceMethod, type Trail, type Way } from './carried.ts';
import type { Ledger, TraceDirection } from './ledger.ts';

/** Traced money between two places of an account: the first unit in is the first out, so it has one place for both. */
interface Piece {
  readonly start: number;
  readonly end: number;
  readonly trail: Trail;
}

/** Less is rounding. */
function least(place: number): number {
  return 1e-10 + 1e-13 * Math.abs(place);
}

/** Further neighbouring pieces are joined, and keep the way of the larger. Amounts stay exact. */
const mostPieces = 200_000;

/** The money that came first leaves first (Clayton's case). Each piece has exactly one way, forward as backward. */
export const fifo: TraceMethod = ({ payments, isEnd, entries }, { direction, isStart }) => {
  const carried: Carried[] = payments.map(() => nothing);
  const kept = new Map<string, Carried>();
  const accounts = new Map<string, Piece[]>();
  let made = 0;
  // Backward, money before `start` was brought by no known payment, and goes no further.
  const take = (address: string, start: number, end: number): Piece[] => {
    const account = accounts.get(address) ?? [];
    keepAll(kept, address, takeUntil(account, start));
    return takeUntil(account, end);
  };
  for (const { index, value, near, far } of stepsOf(payments, direction)) {
    const places = placesOf(entries[index], value, direction);
    const pieces = isStart(index)
      ? [{ start: places.far, end: places.far + value, trail: { index, before: undefined } }]
      : moved(take(near, places.near, places.near + value), index, places);
    if (pieces.length === 0) continue;
    made += pieces.length;
    carried[index] = sumOf(pieces);
    if (isEnd(far)) continue;
    const account = accounts.get(far) ?? [];
    for (const piece of pieces) append(account, piece, made > mostPieces);
    accounts.set(far, account);
  }
  for (const [address, pieces] of accounts) keepAll(kept, address, pieces);
  return { carried, kept };
};

interface Places {
  readonly near: number;
  readonly far: number;
}

/** Backward the accounts are read from their ends, so places are mirrored. */
function placesOf(entry: Ledger['entries'][number] | undefined, value: number, direction: TraceDirection): Places {
  const { inAt = 0, outAt = 0 } = entry ?? {};
  return direction === 'forward' ? { near: outAt, far: inAt } : { near: -inAt - value, far: -outAt - value };
}

/** Removes what lies before `end`. */
function takeUntil(account: Piece[], end: number): Piece[] {
  const whole = account.findIndex((piece) => piece.end > end);
  const taken = account.splice(0, whole < 0 ? account.length : whole);
  const [first] = account;
  if (first === undefined || first.start >= end) return taken;
  account[0] = { ...first, start: end };
  return [...taken, { ...first, end }];
}

function keepAll(kept: Map<string, Carried>, address: string, pieces: readonly Piece[]): void {
  if (pieces.length > 0) keep(kept, address, sumOf(pieces));
}

function moved(pieces: readonly Piece[], index: number, { near, far }: Places): Piece[] {
  let last: Trail | undefined;
  return pieces
    .filter(({ start, end }) => end - start > least(end))
    .map(({ start, end, trail }) => {
      last = last !== undefined && last.before === trail ? last : { index, before: trail };
      return { start: start - near + far, end: end - near + far, trail: last };
    });
}

function append(account: Piece[], piece: Piece, join: boolean): void {
  const last = account.at(-1);
  const touches = last !== undefined && piece.start - last.end <= least(last.end);
  if (!touches || (!join && last.trail !== piece.trail)) {
    account.push(piece);
    return;
  }
  const trail = last.end - last.start >= piece.end - piece.start ? last.trail : piece.trail;
  account[account.length - 1] = { start: last.start, end: piece.end, trail };
}

function sumOf(pieces: readonly Piece[]): Carried {
  const ways = new Map<Trail, number>();
  for (const { start, end, trail } of pieces) ways.set(trail, (ways.get(trail) ?? 0) + end - start);
  let main: Way | undefined;
  for (const [trail, value] of ways) if (main === undefined || value > main.value) main = { value, trail };
  return { value: pieces.reduce((sum, { start, end }) => sum + end - start, 0), main };
}
