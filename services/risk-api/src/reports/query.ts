import type { Chain } from '@weir/chains';
import type { Direction } from '@weir/risk-engine';

/** A result given to a caller. */
export interface ScanQuery {
  readonly chain: Chain;
  readonly kind: 'address' | 'txid';
  /** Normalised. */
  readonly subject: string;
  readonly direction: Direction;
  /** As requested; does not affect the result. */
  readonly coin: string;
  /** When the result was made, in Unix seconds. */
  readonly scannedAt: number;
}

/** A predefined result: the target's address or transaction id. */
export interface SandboxQuery {
  readonly sandbox: string;
  /** The side of a transaction whose label is shown; `deposit` when absent. */
  readonly direction?: Direction;
}

/** The subject of a report; exactly this is signed in its URL. */
export type ReportQuery = ScanQuery | SandboxQuery;

/** `origin`: `https://host[:port]`, without a trailing slash. */
export type ReportUrl = (query: ReportQuery, origin: string) => string | Promise<string>;
