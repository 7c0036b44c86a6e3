import type { TraceDirection } from './ledger.ts';

/** In the order in which they are shown. */
export const traceMethods = ['haircut', 'fifo', 'poison'] as const;
export type TraceMethodName = (typeof traceMethods)[number];

/**
 * Where a trail ends. `service`: labelled, and its customers' money is mixed. `risk`: an address with a risk label. `hub`: unlabelled, with
 * more transfers than are read. `subject`: the address itself. `held` (forward): the money is still there. `unexplained` (backward): no known
 * transfer brought it.
 */
export const terminalKinds = ['service', 'risk', 'hub', 'subject', 'held', 'unexplained'] as const;
export type TerminalKind = (typeof terminalKinds)[number];

/** USD by the methods asked for. */
export type ByMethod = Readonly<Partial<Record<TraceMethodName, number>>>;

export interface TraceHop {
  readonly txid: string;
  /** UTC, ISO 8601. */
  readonly time: string;
  readonly coin: string;
  /** In the coin, decimal. `null`: unknown. */
  readonly amount: string | null;
  readonly usd: number;
  /** Of it the traced money, by the method of the path. */
  readonly traced_usd: number;
  readonly from: string;
  readonly to: string;
  /** Strangers signed it, and nobody knows whose money is whose. */
  readonly coin_join?: true;
}

export interface Terminal {
  readonly kind: TerminalKind;
  /** Of a label; empty without one. */
  readonly entity: string;
  readonly category: string;
  /** The one at the end of the path. */
  readonly address: string;
  /** Of the entity, that the trail reached. */
  readonly addresses: number;
  /** Traced money that ends (or begins) here. */
  readonly usd: ByMethod;
  /** Transfers of the path. */
  readonly hops: number;
  /** The method by which the path is the main one. */
  readonly method: TraceMethodName;
  /** What went on this path alone. */
  readonly path_usd: number;
  /** In the order of time. Of more than 20 transfers the first and the last ten. */
  readonly path: TraceHop[];
}

/** Where the money of an address went, or where it came from. */
export interface MoneyTrace {
  readonly direction: TraceDirection;
  /** USD of the traced transfers, all of which begin (or end) at the address. */
  readonly usd: number;
  readonly transfers: number;
  /** Of unknown value; they are not followed. */
  readonly unvalued_transfers: number;
  /** Older ones than are read; they are not followed. */
  readonly unlisted_transfers: number;
  readonly read: { readonly addresses: number; readonly transfers: number };
  /** Most traced money first, at most 100. With `others` and `not_followed` it adds up to `usd` by haircut and by FIFO. */
  readonly terminals: Terminal[];
  readonly others: { readonly terminals: number; readonly usd: ByMethod };
  /** Behind these addresses the budget of reading ended. */
  readonly not_followed: { readonly addresses: number; readonly usd: ByMethod };
  /** Share of `usd`, 0 to 1: with what is behind hubs and what was not followed, each terminal may have at most so much more. None for poison. */
  readonly bound: ByMethod;
}
