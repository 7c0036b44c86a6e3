import { type MoneyTrace, traceMethods, traceMoney } from '@weir/risk-engine';
import { type LabelRow, memoryStore, type TransferRow } from '@weir/risk-engine/testing';

const hour = 3_600_000;

/** A wallet holds 500,000 USD when a stolen million comes. It pays 600,000 to a mule and 900,000 to a mixer; the mule pays 450,000 on. */
const payments: readonly (readonly [from: string, to: string, usd: number])[] = [
  ['exchange', 'wallet', 500_000],
  ['thief', 'wallet', 1_000_000],
  ['wallet', 'mule', 600_000],
  ['wallet', 'mixer', 900_000],
  ['mule', 'exchange', 450_000],
];
const transfers = payments.map(
  ([from, to, usd], index): TransferRow => ({ chain: 'c', txid: `tx${index}`, from, to, usd, at: index * hour }),
);
const labels = [
  ['thief', 'theft'],
  ['exchange', 'exchange'],
  ['mixer', 'mixer'],
].map(
  ([address = '', category = '']): LabelRow => ({
    chain: 'c',
    address,
    name: address,
    category,
    source: 'example',
    confidence: 1,
    valid_from: null,
    valid_to: null,
  }),
);

/** The example of docs/method.md. */
export async function tracingTable(): Promise<string> {
  const store = memoryStore({ transfers, labels });
  const forward = await traceMoney(store, 'c', 'thief', 0, { direction: 'forward' });
  const backward = await traceMoney(store, 'c', 'mule', 0, { direction: 'backward' });
  return [
    '| Trace | Terminal | Haircut | FIFO | Poison |',
    '|---|---|---|---|---|',
    ...rows('forward from the thief', forward),
    ...rows('backward from the mule', backward),
  ].join('\n');
}

function rows(title: string, { terminals }: MoneyTrace): string[] {
  return terminals.map(({ kind, entity, address, value }, index) => {
    const sums = traceMethods.map((method) => (value[method] ?? 0).toLocaleString('en'));
    return `| ${[index === 0 ? title : '', `${entity || address} (${kind})`, ...sums].join(' | ')} |`;
  });
}
