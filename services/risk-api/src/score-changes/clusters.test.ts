import type { TransferRow } from '@weir/chain-import';
import { bitcoinAddress, coSpend, loadCoSpends, transfer } from '@weir/chain-store/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Subject } from '../subject.ts';
import { changeRecorder } from '@weir/chain-store';
import { type ChangesWorld, openChangesWorld } from './changes.testing.ts';
import { endLabels, loadTransfers, withdrawLabels } from './imports.ts';

/** The subject was paid by `payer`. The thief signs with `friend`, and not yet with the payer. */
const [thief, friend, payer, subject, bystander] = [1, 2, 3, 4, 5] as const;
const why = { reason: 'the publisher took it back', person: 'ann' };

const of = (n: number): Subject => ({ chain: 'bitcoin', kind: 'address', value: bitcoinAddress(n), direction: 'deposit' });
const paid = (id: number, from: number, to: number): TransferRow => ({
  ...transfer,
  chain: 'bitcoin',
  coin: 'BTC',
  txid: coSpend(id).txid,
  from_address: bitcoinAddress(from),
  to_address: bitcoinAddress(to),
  usd_value: '20000',
});

let world: ChangesWorld;
beforeEach(async () => {
  world = await openChangesWorld();
  await loadTransfers(world.database.pool, [paid(100, payer, subject), paid(101, bystander, 6)]);
  await coSpent(1, thief, friend);
});
afterEach(() => world.close());

const coSpent = (id: number, ...addresses: readonly number[]) =>
  loadCoSpends(world.database.pool, [coSpend(id, ...addresses)], changeRecorder);
const accuse = () => world.label(thief, { chain: 'bitcoin', address: bitcoinAddress(thief), source: 'a wrong list' });
/** Those whose score is Moderate or worse. */
const accused = async (...subjects: readonly number[]): Promise<number[]> => {
  const found: number[] = [];
  for (const n of subjects) if ((await world.score(of(n))).score >= 31) found.push(n);
  return found;
};

it('a label of one member changes the scores that read the others, and its end changes them back', async () => {
  await coSpent(2, friend, payer);
  const all = [subject, payer, friend, bystander];
  expect(await accused(...all)).toEqual([]);
  await accuse();
  expect(await world.settle()).toBe(3);
  expect(await world.cached(of(bystander))).toBeDefined();
  expect(await accused(...all)).toEqual([subject, payer, friend]);
  await endLabels(
    world.database.pool,
    { addresses: [bitcoinAddress(thief)], source: 'a wrong list', category: undefined, at: undefined },
    why,
  );
  expect(await world.settle()).toBe(3);
  expect(await accused(...all)).toEqual([]);
});

it('a label that is withdrawn from one member changes the others back', async () => {
  await coSpent(2, friend, payer);
  await accuse();
  expect(await accused(subject)).toEqual([subject]);
  await withdrawLabels(world.database.pool, { source: 'a wrong list' }, why);
  await world.settle();
  expect(await accused(subject)).toEqual([]);
});

it('a merge of two clusters changes the scores that read a member without a label', async () => {
  await coSpent(2, payer, 7);
  await accuse();
  expect(await accused(subject, bystander)).toEqual([]);
  await coSpent(3, 7, friend);
  expect(await world.settle()).toBe(1);
  expect(await world.cached(of(bystander))).toBeDefined();
  expect(await accused(subject)).toEqual([subject]);
});

it('an address that comes to a labelled cluster changes the scores that read it', async () => {
  await accuse();
  expect(await accused(subject)).toEqual([]);
  await coSpent(2, payer, thief);
  expect(await world.settle()).toBe(1);
  expect(await accused(subject)).toEqual([subject]);
});
