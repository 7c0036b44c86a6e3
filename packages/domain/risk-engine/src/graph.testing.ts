import { type Assessment, type Label, scoreAddress, type ScoreOptions } from './index.ts';
import { moves, type Row } from './movement.testing.ts';
import type { Movement } from './store.ts';
import { type LabelRow, memoryStore, type TransferRow } from './testing.ts';

export const label = (category: string, name = category, confidence = 1): Label => ({ name, category, confidence, source: 'test' });

/** Labels by address. */
export type Named = Readonly<Record<string, Label | readonly Label[]>>;

/** Labels that stories share. */
const named: Named = {
  thief: label('theft'),
  ransom: label('ransom'),
  listed: label('sanctioned'),
  mixer: label('mixer'),
  exchange: label('exchange'),
  router: label('defi'),
};

export function rowsOf(movements: readonly Movement[], labels: Named = named): { transfers: TransferRow[]; labels: LabelRow[] } {
  return {
    transfers: movements.map(({ tx, ...rest }) => ({ chain: 'c', txid: tx, ...rest })),
    labels: Object.entries(labels).flatMap(([address, known]) =>
      [known].flat().map((one) => ({ chain: 'c', address, valid_from: null, valid_to: null, ...one })),
    ),
  };
}

export interface Asked extends ScoreOptions {
  readonly labels?: Named;
  readonly subject?: string;
}

export function scored(movements: readonly Movement[], { labels, subject = 's', ...options }: Asked = {}): Promise<Assessment> {
  return scoreAddress(memoryStore(rowsOf(movements, labels)), 'c', subject, 0, options);
}

export function scoredRows(rows: readonly Row[], asked: Asked = {}): Promise<Assessment> {
  return scored(moves(rows), asked);
}

/** The same sum from each address to the next. */
export function line(usd: number, ...addresses: readonly string[]): Row[] {
  return addresses.slice(1).map((to, index): Row => [addresses[index] ?? '', to, usd]);
}
