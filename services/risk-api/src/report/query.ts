import type { Chain } from '@weir/chains';
import type { Direction } from '@weir/risk-engine';

/** A result that was given out. */
export interface ScanQuery {
  readonly chain: Chain;
  readonly kind: 'address' | 'txid';
  /** Normalised. */
  readonly subject: string;
  readonly direction: Direction;
  /** As asked with; changes nothing in the result. */
  readonly coin: string;
  /** When the result was made, in Unix seconds. */
  readonly scannedAt: number;
}

/** A predefined result: the target's address or transaction id. */
export interface SandboxQuery {
  readonly sandbox: string;
  /** Whose label is shown of a transaction; `deposit` when absent. */
  readonly direction?: Direction;
}

/** What a report is about; its address says exactly this, signed. */
export type ReportQuery = ScanQuery | SandboxQuery;
