import { nativeCoin } from '@weir/chains';
import type { CoSpend, TransferRow } from '../rows.ts';
import { Unusable } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import { bitcoinTransaction } from '../transfers/bitcoin-etl.ts';
import type { Scope } from '../transfers/scope.ts';
import type { Block } from './block.ts';
import { type Json, listOf, objectOf, textOf } from './json.ts';
import { type Node, NodeError } from './node.ts';

/** Concurrent requests when a node does not give the outputs that a block spends. */
const transactionsAtOnce = 8;

/**
 * Reads a block of a node with Bitcoin's JSON-RPC: `getblock` with verbosity 3, which gives the spent outputs; of an older node by
 * `getrawtransaction`, for which it needs an index of transactions. Throws a NodeError when it has neither.
 */
export async function readUtxoBlock(node: Node, scope: Scope, height: number): Promise<Block> {
  const hash = await hashOf(node, height);
  const block = objectOf(await node.ask('getblock', [hash, 3]), `block ${height}`);
  const seconds = block['time'];
  if (typeof seconds !== 'number') throw new NodeError(`the node gives no time of block ${height}`);
  // btcd has another name for it.
  const transactions = listOf(block['rawtx'] ?? block['tx'], `the transactions of block ${height}`);
  const spent = await spentOutputs(node, transactions);
  const rows: TransferRow[] = [];
  const coSpends: CoSpend[] = [];
  const rejected: string[] = [];
  for (const transaction of transactions) {
    try {
      const found = bitcoinTransaction(scope, fieldsOf(scope, transaction, { spent, seconds }));
      const { rows: moved, co_spend } = typeof found === 'object' && 'co_spend' in found ? found : { rows: found };
      if (typeof moved !== 'string') rows.push(...moved);
      if (co_spend !== undefined) coSpends.push(co_spend);
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      rejected.push(`transaction ${textOf(transaction, 'txid')}: ${error.message}`);
    }
  }
  const parentHash = height === 0 ? '' : textOf(block, 'previousblockhash');
  return { height, hash, parentHash, time: new Date(seconds * 1_000).toISOString(), rows, coSpends, rejected };
}

/** The outputs that the inputs spend, by transaction and index, where the block does not give them. */
async function spentOutputs(node: Node, transactions: readonly Json[]): Promise<ReadonlyMap<string, Json>> {
  const outputs = new Map<string, Json>();
  const add = (transaction: Json): void => {
    for (const output of listOf(transaction['vout'], 'the outputs of a transaction'))
      outputs.set(`${textOf(transaction, 'txid')}:${output['n'] as number}`, output);
  };
  transactions.forEach(add);
  const missing = new Set(
    transactions
      .flatMap((transaction) => listOf(transaction['vin'], 'the inputs of a transaction'))
      .filter((input) => input['coinbase'] === undefined && input['prevout'] === undefined)
      .filter((input) => !outputs.has(placeOf(input)))
      .map((input) => textOf(input, 'txid')),
  );
  const txids = [...missing];
  for (let at = 0; at < txids.length; at += transactionsAtOnce) {
    const some = txids.slice(at, at + transactionsAtOnce).map((txid) => node.ask('getrawtransaction', [txid, 1]));
    for (const found of await Promise.all(some)) add(objectOf(found, 'spent transactions: it needs txindex, or getblock with verbosity 3'));
  }
  return outputs;
}

const placeOf = (input: Json): string => `${textOf(input, 'txid')}:${input['vout'] as number}`;

/** As bitcoin-etl writes a transaction. */
function fieldsOf(scope: Scope, transaction: Json, { spent, seconds }: { spent: ReadonlyMap<string, Json>; seconds: number }): Fields {
  const inputs = listOf(transaction['vin'], 'the inputs of a transaction');
  return {
    hash: textOf(transaction, 'txid'),
    block_timestamp: String(seconds),
    is_coinbase: inputs.some((input) => input['coinbase'] !== undefined),
    inputs: inputs.flatMap((input) => {
      if (input['coinbase'] !== undefined) return [];
      const output = input['prevout'] ?? spent.get(placeOf(input));
      return [coinOf(scope, objectOf(output, 'a spent output'))];
    }),
    outputs: listOf(transaction['vout'], 'the outputs of a transaction').map((output) => ({
      ...coinOf(scope, output),
      index: output['n'] as number,
    })),
  };
}

function coinOf(scope: Scope, output: Json): { addresses: readonly string[]; value: string } {
  const { value } = output;
  if (typeof value !== 'number') throw new NodeError('the node gives an output without a value');
  const script = objectOf(output['scriptPubKey'], 'the script of an output');
  const { address, addresses, type } = script;
  const listed = typeof address === 'string' ? [address] : Array.isArray(addresses) ? (addresses as string[]) : [];
  // Of a bare public key some nodes name the address of its hash, others none.
  return { addresses: type === 'pubkey' ? [] : listed, value: unitsOf(value, nativeCoin(scope.chain).decimals) };
}

/** A node writes coins with all decimals; a double keeps them up to 90 million coins. */
function unitsOf(value: number, decimals: number): string {
  return BigInt(value.toFixed(decimals).replace('.', '')).toString();
}

async function hashOf(node: Node, height: number): Promise<string> {
  const hash = await node.ask('getblockhash', [height]);
  if (typeof hash !== 'string') throw new NodeError(`the node gives no hash of block ${height}`);
  return hash;
}

/** Undefined: the node has no block there. */
export async function utxoHashAt(node: Node, height: number): Promise<string | undefined> {
  if (height > (await utxoHeight(node))) return undefined;
  return hashOf(node, height);
}

export async function utxoHeight(node: Node): Promise<number> {
  const height = await node.ask('getblockcount', []);
  if (!Number.isSafeInteger(height)) throw new NodeError('the node does not say which block is the newest');
  return height as number;
}
