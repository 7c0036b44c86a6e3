import { type LabelRow, memoryStore } from '@weir/risk-engine/testing';
import { scoreAddress } from '@weir/risk-engine';
import { expect, it } from 'vitest';
import { recordReads } from './read-set.ts';

const chain = 'ethereum';
const transfer = (txid: string, from: string, to: string, at: number, more: { coin?: string; position?: number } = {}) => ({
  chain,
  txid,
  from,
  to,
  usd: 100,
  at,
  ...more,
});
const label = (address: string, category: string): LabelRow => ({
  chain,
  address,
  category,
  name: address,
  confidence: 1,
  source: 'test',
  valid_from: null,
  valid_to: null,
});

async function readOf(subject: string, transfers: ReturnType<typeof transfer>[], labels: LabelRow[] = []): Promise<string[]> {
  const { store, readSet } = recordReads(memoryStore({ labels, transfers }));
  await scoreAddress(store, chain, subject, 10);
  const { addresses, sides } = readSet();
  return addresses.map((address, n) => `${address} ${sides[n]}`).toSorted();
}

it('has both sides of each address that was read, and the own labels of the subject alone', async () => {
  const transfers = [transfer('t1', 'payer', 'mule', 1), transfer('t2', 'mule', 'subject', 2)];
  expect(await readOf('subject', transfers)).toEqual(['mule 0', 'mule 1', 'payer 0', 'payer 1', 'subject 0', 'subject 1', 'subject 2']);
});

it('has the transaction of a swap, and the labels of all who took part in it', async () => {
  const transfers = [
    transfer('swap', 'user', 'router', 1, { coin: 'ETH' }),
    transfer('swap', 'router', 'subject', 1, { coin: 'USDC', position: 1 }),
  ];
  expect(await readOf('subject', transfers, [label('router', 'defi')])).toEqual(
    ['router 2', 'subject 0', 'subject 1', 'subject 2', 'swap 3', 'user 0', 'user 1', 'user 2'].toSorted(),
  );
});

it('has a side of a service until it has a transfer, because its coverage changes with the first', async () => {
  const labels = [label('service', 'exchange')];
  expect(await readOf('service', [], labels)).toEqual(['service 0', 'service 1', 'service 2']);
  expect(await readOf('service', [transfer('t1', 'payer', 'service', 1)], labels)).toEqual(['service 1', 'service 2']);
});
