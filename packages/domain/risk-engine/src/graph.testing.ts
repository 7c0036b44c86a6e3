import { type Assessment, type Label, scoreAddress } from './index.ts';
import { type LabelRow, memoryStore, type TransferRow } from './testing.ts';

export const label = (category: string, name = category, confidence = 1): Label => ({ name, category, confidence, source: 'test' });

/** Transfers as `[from, to, usd]`, and labels by address. */
export interface Graph {
  readonly chain?: string;
  readonly transfers: readonly (readonly [from: string | null, to: string | null, usd: number | null])[];
  readonly labels?: Readonly<Record<string, Label | readonly Label[]>>;
}

export function rowsOf({ chain = 'ethereum', transfers, labels = {} }: Graph): { transfers: TransferRow[]; labels: LabelRow[] } {
  return {
    transfers: transfers.map(([from, to, usd], index) => ({ chain, txid: `tx${index}`, from, to, usd })),
    labels: Object.entries(labels).flatMap(([address, known]) =>
      [known].flat().map((one) => ({ chain, address, valid_from: null, valid_to: null, ...one })),
    ),
  };
}

export function scored(graph: Graph, address = 'subject'): Promise<Assessment> {
  return scoreAddress(memoryStore(rowsOf(graph)), graph.chain ?? 'ethereum', address, 0);
}

/** Counterparties `c0`, `c1`, … are `[label, usd]`, alternately received from and sent to. */
export function star(own: readonly Label[], flows: readonly (readonly [Label | undefined, number | null])[]): Graph {
  return {
    transfers: flows.map(([, usd], index) => (index % 2 === 0 ? [`c${index}`, 'subject', usd] : ['subject', `c${index}`, usd])),
    labels: {
      subject: own,
      ...Object.fromEntries(flows.flatMap(([known], index) => (known === undefined ? [] : [[`c${index}`, known]]))),
    },
  };
}
