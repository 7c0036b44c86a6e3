import { type ImportObserver, readFollowedChain } from '@weir/chain-store';
import { contents, createChainDatabase, emptyChain, loadTransfers } from '@weir/chain-store/testing';
import { systemClock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { TestDatabase } from '@weir/postgres/testing';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChainFollower } from './chain-follower.ts';
import { NodeGroup } from './node-group.ts';
import { addressOf, ScriptedChain, txidOf } from './scripted-chain.testing.ts';

const wanted = 1_000;
/** An idle machine takes one minute. */
const limitMs = 600_000;
const firstBlock = 1;

let database: TestDatabase;
beforeAll(async () => {
  database = await createChainDatabase();
});
afterAll(() => database.drop());

const usdc = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48';
const transfer = fc.record({
  from: fc.nat(5),
  to: fc.nat(5),
  coin: fc.constantFrom('ETH', 'USDC-ERC20', usdc.replace('a0b8', 'a0b9')),
  amount: fc.constantFrom('0.5', '1', '2.25', '1000'),
  usd: fc.constantFrom(null, null, '7.5', '2000'),
  /** Whether it is a payment of a contract. */
  internal: fc.boolean(),
});
const block = fc.array(transfer, { maxLength: 4 });
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('mine' as const), blocks: fc.array(block, { minLength: 1, maxLength: 6 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reorganise' as const),
      depth: fc.integer({ min: 1, max: 20 }),
      blocks: fc.array(block, { maxLength: 20 }),
      /** Whether its transactions come again. */
      again: fc.boolean(),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('follow' as const), steps: fc.integer({ min: 1, max: 4 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('kill' as const), how: fc.constantFrom('error' as const, 'connection' as const) }),
  },
);
const sequence = fc.record({ confirmations: fc.nat(3), acts: fc.array(act, { minLength: 4, maxLength: 12 }) });

/** Ends the connection, or throws, within the transaction that stores or removes blocks. */
const killing = (how: 'error' | 'connection', killed: () => void): ImportObserver => ({
  labelsStored: async () => undefined,
  transfersStored: async (tx: Queryable) => {
    killed();
    if (how === 'error') throw new Error('killed');
    await tx.query('SELECT pg_terminate_backend(pg_backend_pid())');
  },
});

async function state(db: Queryable): Promise<unknown> {
  const { rows } = await db.query(
    `SELECT (SELECT json_agg(d) FROM chain.chain_data d WHERE transfers > 0) AS data,
       (SELECT json_agg(p ORDER BY coin, day) FROM chain.prices p) AS prices`,
  );
  return { tables: await contents(db), ...rows[0] };
}

const unobserved: ImportObserver = { labelsStored: async () => undefined, transfersStored: async () => undefined };

it(
  'sums equal an import of the same final blocks, after kills and reorganisations',
  async () => {
    const { pool } = database;
    let [sequences, reorganisations, kills, transfers] = [0, 0, 0, 0];
    const property = fc.asyncProperty(sequence, async ({ confirmations, acts }) => {
      await emptyChain(pool);
      await pool.query('TRUNCATE chain.followed, chain.blocks, chain.chain_data');
      const chain = new ScriptedChain();
      let [ids, highest] = [0, 0];
      const mine = (blocks: readonly (readonly (typeof transfer extends fc.Arbitrary<infer T> ? T : never)[])[]): void => {
        for (const given of blocks)
          chain.mine(
            given.map(({ from, to, coin, amount, usd, internal }) => ({
              txid: txidOf((ids += 1)),
              position: internal ? 2 ** 29 + 1 : 0,
              from_address: addressOf(from),
              to_address: addressOf(to),
              coin,
              amount: coin.startsWith('0x') ? null : amount,
              usd_value: usd,
            })),
          );
        highest = Math.max(highest, chain.head);
      };
      const nodes = new NodeGroup({ clock: systemClock, nodes: [chain.node('one'), chain.node('two')], onLeft: () => undefined });
      const open = (observer: ImportObserver): ChainFollower =>
        new ChainFollower({ pool, clock: systemClock, chain: 'ethereum', nodes, firstBlock, confirmations, observer });
      let follower = open(unobserved);
      for (const each of acts) {
        if (each.kind === 'mine') mine(each.blocks);
        else if (each.kind === 'reorganise') {
          const gone = chain.takeBack(each.depth);
          if (each.again) chain.mine(gone);
          mine(each.blocks);
        } else if (each.kind === 'follow') for (let step = 0; step < each.steps; step += 1) await follower.step();
        else {
          await open(killing(each.how, () => (kills += 1)))
            .step()
            .catch(() => undefined);
          // All state is in the database.
          follower = open(unobserved);
        }
      }
      mine(Array.from({ length: highest - chain.head + confirmations + 1 }, () => []));
      const target = chain.head - confirmations;
      for (let step = 0; ; step += 1) {
        if (step > 1_000) throw new Error('the follower does not arrive');
        const more = await follower.step();
        const followed = await readFollowedChain(pool, 'ethereum');
        if (more || followed?.height !== target) continue;
        if (followed.hash !== chain.blocks(target, target)[0]?.hash) continue;
        reorganisations += followed.reorganisations;
        break;
      }
      const followed = await state(pool);
      await emptyChain(pool);
      await pool.query('TRUNCATE chain.followed, chain.blocks, chain.chain_data');
      const rows = chain.blocks(firstBlock, target).flatMap((given) => given.rows);
      await loadTransfers(pool, rows);
      expect(followed).toEqual(await state(pool));
      sequences += 1;
      transfers += rows.length;
    });
    const result = await fc.check(property, { numRuns: wanted });
    process.stdout.write(
      `seed ${result.seed}: ${sequences} sequences with ${transfers} final transfers, ${reorganisations} reorganisations that took blocks back, ${kills} kills\n`,
    );
    if (result.failed) throw new Error(fc.defaultReportMessage(result), { cause: result.errorInstance });
    expect(sequences).toBe(wanted);
    expect(Math.min(reorganisations, kills)).toBeGreaterThan(10);
  },
  limitMs,
);
