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

/** By the methods asked for. */
export type ByMethod = Readonly<Partial<Record<TraceMethodName, number>>>;

export interface TraceHop {
  readonly txid: string;
  /** UTC, ISO 8601. */
  readonly time: string;
  readonly coin: string;
  /** In the coin, decimal. `null`: unknown. */
  readonly amount: string | null;
  /** At its time. `null`: unknown. */
  readonly usd: number | null;
  /** The traced part of it, by the method of the path. */
  readonly traced: number;
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
  readonly value: ByMethod;
  /** Transfers of the path. */
  readonly hops: number;
  /** The method by which the path is the main one. */
  readonly method: TraceMethodName;
  /** What went on this path alone. */
  readonly path_value: number;
  /** In the order of time. Of more than 20 transfers the first and the last ten. */
  readonly path: TraceHop[];
}

/** Where the money of an address went, or where it came from. */
export interface MoneyTrace {
  readonly direction: TraceDirection;
  /** Of all values: USD at the time of each transfer, or a coin. */
  readonly unit: string;
  /** Of the traced transfers, all of which begin (or end) at the address. */
  readonly value: number;
  readonly transfers: number;
  /** Without a known value in the unit; they are not followed. */
  readonly unvalued_transfers: number;
  /** Older ones than are read; they are not followed. */
  readonly unlisted_transfers: number;
  readonly read: { readonly addresses: number; readonly transfers: number };
  /** Most traced money first, at most 100. With `others` and `not_followed` it adds up to `value` by haircut and by FIFO. */
  readonly terminals: Terminal[];
  readonly others: { readonly terminals: number; readonly value: ByMethod };
  /** Behind these addresses the budget of reading ended. */
  readonly not_followed: { readonly addresses: number; readonly value: ByMethod };
  /** Share of `value`, 0 to 1: with what is behind hubs and what was not followed, each terminal may have at most so much more. None for poison. */
  readonly bound: ByMethod;
}
