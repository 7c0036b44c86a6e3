import { memoryStore } from '@weir/risk-engine/testing';
import { expect, it } from 'vitest';
import { recordReads } from './read-set.ts';

const transfers = [{ chain: 'ethereum', txid: 'tx', from: 'payer', to: 'subject', usd: 5, at: 1 }];

it('the transfers of an address with their times count as both of its sides, and transactions as themselves', async () => {
  const { store, readSet } = recordReads(memoryStore({ labels: [], transfers }));
  await store.labelsOf('ethereum', ['subject'], 2);
  const found = await store.histories?.('ethereum', [{ address: 'subject', at: 2, towards: 'past' }], { largest: 1, nearest: 1 });
  expect(found?.get('subject')?.movements).toHaveLength(1);
  // Flows of the same side neither hide nor repeat it.
  await store.flows('ethereum', ['subject'], 'in', 1);
  await store.labelsOf('ethereum', ['payer'], 2);
  expect((await store.movementsIn?.('ethereum', ['tx']))?.size).toBe(1);
  const { addresses, sides } = readSet();
  expect(addresses.map((address, n) => `${address} ${sides[n]}`)).toEqual(['subject 2', 'subject 0', 'subject 1', 'tx 3']);
});
