import { expect, test } from 'vitest';
import type { Node } from './node.ts';
import { readUtxoBlock, utxoHashAt } from './utxo-block.ts';

const [alice, bob, carol] = [
  '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa',
  'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
] as const;
const txid = (n: number): string => String(n).padStart(64, 'a');
const hash = (height: number): string => String(height).padStart(64, '0');
const output = (n: number, value: number, address?: string, type = 'pubkeyhash') => ({
  n,
  value,
  scriptPubKey: { type, hex: '', ...(address !== undefined && { address }) },
});

/** A block in the form of Bitcoin Core: two inputs pay two outputs, one without an address and one of change; and a reward. */
const block = {
  hash: hash(7),
  height: 7,
  previousblockhash: hash(6),
  time: 1_700_000_000,
  tx: [
    { txid: txid(1), vin: [{ coinbase: '00' }], vout: [output(0, 6.25, alice)] },
    {
      txid: txid(2),
      vin: [
        { txid: txid(8), vout: 0, prevout: output(0, 0.3, alice) },
        { txid: txid(9), vout: 1, prevout: output(1, 0.1, bob) },
      ],
      vout: [
        output(0, 0.2, carol),
        output(1, 0, undefined, 'nulldata'),
        output(2, 0.05, undefined, 'multisig'),
        output(3, 0.14999999, alice),
      ],
    },
    // A bare public key, which btcd names by the address of its hash.
    { txid: txid(3), vin: [{ txid: txid(2), vout: 0 }], vout: [output(0, 0.2, bob, 'pubkey')] },
  ],
};

const nodeOf = (answers: Readonly<Record<string, unknown>>): Node => ({
  ask: async (method, [first]) => (typeof answers[method] === 'function' ? answers[method](first) : answers[method]),
});
const scope = { chain: 'bitcoin', source: 'node' } as const;

test('outputs come from all inputs in proportion; change, and outputs without one address, give no transfer', async () => {
  const read = await readUtxoBlock(nodeOf({ getblockhash: hash(7), getblock: block }), scope, 7);
  expect(read).toMatchObject({ height: 7, hash: hash(7), parentHash: hash(6), time: '2023-11-14T22:13:20.000Z', rejected: [] });
  const common = { chain: 'bitcoin', txid: txid(2), position: 0, to_address: carol, coin: 'BTC', usd_value: null };
  expect(read.rows).toEqual([
    { ...common, from_address: alice, amount: '0.15', time: '2023-11-14T22:13:20.000Z', source: 'node' },
    { ...common, from_address: bob, amount: '0.05', time: '2023-11-14T22:13:20.000Z', source: 'node' },
  ]);
  expect(read.coSpends).toEqual([{ chain: 'bitcoin', txid: txid(2), addresses: [alice, bob], coin_join: null }]);
});

test('of a node without spent outputs they are read one by one, and their absence is an error', async () => {
  const [reward, payment] = block.tx;
  const older = { ...block, tx: [reward, { ...payment, vin: payment?.vin.map((input) => ({ ...input, prevout: undefined })) }] };
  const earlier: Record<string, object> = {
    [txid(8)]: { txid: txid(8), vout: [output(0, 0.3, alice)] },
    [txid(9)]: { txid: txid(9), vout: [output(0, 1, carol), output(1, 0.1, bob)] },
  };
  const answers = { getblockhash: hash(7), getblock: older, getrawtransaction: (id: string) => earlier[id] };
  expect((await readUtxoBlock(nodeOf(answers), scope, 7)).rows.map(({ amount }) => amount)).toEqual(['0.15', '0.05']);
  await expect(readUtxoBlock(nodeOf({ ...answers, getrawtransaction: undefined }), scope, 7)).rejects.toThrow('txindex');
});

test('an address of another network rejects its transaction, and the rest of the block counts', async () => {
  const foreign = {
    txid: txid(4),
    vin: [{ txid: txid(8), vout: 0, prevout: output(0, 1, 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn') }],
    vout: [output(0, 1, bob)],
  };
  const read = await readUtxoBlock(nodeOf({ getblockhash: hash(7), getblock: { ...block, tx: [...block.tx, foreign] } }), scope, 7);
  expect(read.rows).toHaveLength(2);
  expect(read.rejected).toEqual([`transaction ${txid(4)}: inputs have an address that is none of bitcoin`]);
});

test('above its newest block a node has none', async () => {
  expect(await utxoHashAt(nodeOf({ getblockcount: 7, getblockhash: hash(7) }), 8)).toBeUndefined();
  expect(await utxoHashAt(nodeOf({ getblockcount: 7, getblockhash: hash(7) }), 7)).toBe(hash(7));
});
