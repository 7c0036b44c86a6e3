import { watchAddresses } from '@weir/chain-store';
import { createChainDatabase, emptyChain, unobserved } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import type { TestDatabase } from '@weir/postgres/testing';
import { createLogger, createMetrics, type Outbox } from '@weir/service-kit';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ChainFollower } from './chain-follower.ts';
import { NodeGroup } from './node-group.ts';
import { addressOf, ScriptedChain, txidOf } from './scripted-chain.testing.ts';
import { createFollowerMetrics } from './metrics.ts';
import { type Watching, watching } from './watching/watching.ts';

const wanted = 300;
const watched = [0, 1, 2].map(addressOf);
/** Stores events as the outbox does: in the transaction, and none twice. */
const outbox = {
  store: async (tx, events) => {
    for (const { key } of events) await tx.query('INSERT INTO told VALUES ($1)', [key]);
    return [];
  },
} as Pick<Outbox, 'store'> as Outbox;

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
  await watchAddresses(
    database.pool,
    watched.map((address) => ({ chain: 'ethereum' as const, address, userId: address, since: new Date(0) })),
  );
  await database.pool.query(
    `CREATE TABLE told (deposit_id text PRIMARY KEY); CREATE SCHEMA gate; CREATE TABLE gate.redeemed_terms
       (withdrawal_id text, chain text, coin text, to_address text, amount numeric, redeemed_at timestamptz)`,
  );
});
afterAll(() => database.drop());

const pair = fc.record({ from: fc.nat(5), to: fc.nat(5), amount: fc.integer({ min: 1, max: 9 }) });
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('mine' as const), pairs: fc.array(pair, { maxLength: 3 }) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('follow' as const), dies: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('take back' as const), depth: fc.integer({ min: 1, max: 4 }), again: fc.boolean() }),
  },
);

test('deposits and payments are those of the final blocks, whatever is taken back or dies', async () => {
  const { pool } = database;
  let [deposits, deaths, sequences] = [0, 0, 0];
  const property = fc.asyncProperty(fc.array(step, { minLength: 4, maxLength: 30 }), async (steps) => {
    await emptyChain(pool);
    await pool.query('TRUNCATE chain.followed, chain.blocks, chain.chain_data, chain.watched_deposits, chain.watched_payments, told');
    const chain = new ScriptedChain();
    let [txids, dies] = [0, false];
    const metrics = createFollowerMetrics(createMetrics(), pool, systemClock);
    const own = watching('ethereum', { outbox, metrics, logger: createLogger({ service: 'test', level: 'silent' }) });
    /** Ends the transaction when all of it is done but the commit. */
    const die = (): void => {
      if (!dies) return;
      dies = false;
      throw new Error('died');
    };
    const mortal: Watching = {
      ...own,
      stored: async (...of) => own.stored(...of).then(die),
      removed: async (...of) => own.removed(...of).then(die),
    };
    const nodes = new NodeGroup({ clock: systemClock, nodes: [chain.node('one')], onLeft: () => undefined });
    const newFollower = () =>
      new ChainFollower({
        pool,
        clock: systemClock,
        chain: 'ethereum',
        nodes,
        firstBlock: 1,
        confirmations: 0,
        observer: unobserved,
        watching: mortal,
      });
    let follower = newFollower();
    for (const one of steps) {
      if (one.kind === 'mine') {
        chain.mine(
          one.pairs.map(({ from, to, amount }) => ({
            txid: txidOf((txids += 1)),
            position: 0,
            from_address: addressOf(from),
            to_address: addressOf(to),
            coin: 'ETH',
            amount: String(amount),
            usd_value: null,
          })),
        );
      } else if (one.kind === 'take back') {
        const gone = chain.takeBack(one.depth);
        // Miners put most transactions into another block.
        chain.mine(one.again ? gone : []);
        chain.mine([]);
      } else {
        dies = one.dies;
        await follower.step().catch((error: Error) => {
          if (error.message !== 'died') throw error;
          deaths += 1;
          follower = newFollower();
        });
        dies = false;
      }
    }
    while ((await follower.step()) || (await follower.step()));
    const final = chain.blocks(1, chain.head).flatMap(({ rows }) => rows);
    const isOurs = (address: string): boolean => watched.includes(address);
    const of = (rows: typeof final): string[] => rows.map(({ txid, amount }) => `${txid} ${amount}`).toSorted();
    const expected = {
      deposits: of(final.filter((row) => isOurs(row.to_address) && !isOurs(row.from_address))),
      payments: of(final.filter((row) => isOurs(row.from_address) && !isOurs(row.to_address))),
    };
    const stored = async (from: string): Promise<string[]> =>
      (await pool.query<{ one: string }>(`SELECT txid || ' ' || trim_scale(amount) AS one FROM ${from}`)).rows
        .map(({ one }) => one)
        .toSorted();
    expect({
      deposits: await stored('chain.watched_deposits WHERE taken_back_at IS NULL'),
      payments: await stored('chain.watched_payments'),
    }).toEqual(expected);
    const { rows } = await pool.query('SELECT deposit_id FROM chain.watched_deposits EXCEPT SELECT deposit_id FROM told');
    expect(rows).toEqual([]);
    deposits += expected.deposits.length;
    sequences += 1;
  });
  const result = await fc.check(property, { numRuns: wanted });
  process.stdout.write(`seed ${result.seed}: ${sequences} sequences, ${deposits} final deposits, ${deaths} deaths\n`);
  if (result.failed) throw new Error(fc.defaultReportMessage(result), { cause: result.errorInstance });
  expect(sequences).toBe(wanted);
  expect(Math.min(deposits, deaths)).toBeGreaterThan(50);
});
