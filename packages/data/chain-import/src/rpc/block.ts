import type { CoSpend, LeftOut, TransferRow } from '../rows.ts';
import { logRows, nativeRows, takenBack, transferTopic } from '../transfers/rows.ts';
import type { Scope } from '../transfers/scope.ts';
import { type Json, listOf, objectOf, textOf } from './json.ts';
import { type Node, NodeError, quantity } from './node.ts';
import { readInternal, type TraceMethod } from './traces.ts';

/** Concurrent requests when a node cannot return a whole block's receipts. */
const receiptsAtOnce = 8;

export interface Block {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  /** ISO 8601. */
  readonly time: string;
  readonly rows: readonly TransferRow[];
  /** Addresses that signed a transaction together. */
  readonly coSpends?: readonly CoSpend[];
  /** Why transactions give no rows that should give some. */
  readonly rejected?: readonly string[];
}

/** Reads a block's native transfers, token logs and traces. Throws a NodeError when the node lacks any of them. */
export async function readBlock(node: Node, scope: Scope, height: number, traces: TraceMethod | undefined): Promise<Block> {
  const tag = `0x${height.toString(16)}`;
  const block = objectOf(await node.ask('eth_getBlockByNumber', [tag, true]), `block ${height}`);
  if (Number(quantity(block['number'], 'the height')) !== height) throw new NodeError(`the node gives another block for block ${height}`);
  const hash = textOf(block, 'hash');
  const transactions = listOf(block['transactions'], `the transactions of block ${height}`);
  const time = new Date(Number(quantity(block['timestamp'], 'the time')) * 1_000).toISOString();
  const receipts = await receiptsOf(node, block, tag, transactions, height);
  const paid = transactions.flatMap((transaction) => nativeRowsOf(scope, transaction, receipts.get(textOf(transaction, 'hash')), time));
  const logs = [...receipts.values()].flatMap((receipt) => listOf(receipt['logs'], 'the logs'));
  const txids = transactions.map((transaction) => textOf(transaction, 'hash'));
  const internal = traces === undefined ? [] : await readInternal(node, scope, traces, { height, hash, txids, time });
  const rows = [...paid, ...internal, ...logs.flatMap((log) => tokenRowsOf(scope, log, time))];
  return { height, hash, parentHash: textOf(block, 'parentHash'), time, rows };
}

function nativeRowsOf(scope: Scope, transaction: Json, receipt: Json | undefined, time: string): readonly TransferRow[] {
  const value = quantity(transaction['value'], 'the value of a transaction');
  if (value === 0n) return [];
  const txid = textOf(transaction, 'hash');
  if (receipt === undefined) throw new NodeError(`the node has no receipt of transaction ${txid}`);
  if (quantity(receipt['status'] ?? '0x1', 'the status of a transaction') === 0n) return [];
  const to = transaction['to'] ?? receipt['contractAddress'];
  return rowsOf(nativeRows(scope, { txid, from: textOf(transaction, 'from'), to: textOf({ to }, 'to'), value, time }));
}

function tokenRowsOf(scope: Scope, log: Json, time: string): readonly TransferRow[] {
  if (takenBack(log)) throw new NodeError('the node gives logs that the chain has taken back; ask again');
  const topics = log['topics'];
  if (!Array.isArray(topics) || !topics.every((topic) => typeof topic === 'string'))
    throw new NodeError('the node gives a log without topics');
  const logIndex = Number(quantity(log['logIndex'], 'the index of a log'));
  const entry = { txid: textOf(log, 'transactionHash'), contract: textOf(log, 'address'), topics, data: textOf(log, 'data'), logIndex };
  return rowsOf(logRows(scope, entry, () => time));
}

const rowsOf = (rows: readonly TransferRow[] | LeftOut): readonly TransferRow[] => (typeof rows === 'string' ? [] : rows);

/** Receipts by transaction: of the block, or singly with the block's logs if the node lacks that method. */
async function receiptsOf(node: Node, block: Json, tag: string, transactions: readonly Json[], height: number): Promise<Map<string, Json>> {
  if (transactions.length === 0) return new Map();
  const hash = textOf(block, 'hash');
  const all = await node.ask('eth_getBlockReceipts', [tag]);
  const receipts = all === undefined ? await singleReceipts(node, hash, transactions) : listOf(all, `the receipts of block ${height}`);
  // A reorganisation may have happened between the two requests.
  if (receipts.some((receipt) => receipt['blockHash'] !== hash))
    throw new NodeError(`block ${height} changed while it was read; ask again`);
  const byHash = new Map(receipts.map((receipt) => [textOf(receipt, 'transactionHash'), receipt]));
  // By hash, not by count: a duplicate must not hide a missing receipt, whose logs would be lost.
  if (all !== undefined && !transactions.every((transaction) => byHash.has(textOf(transaction, 'hash'))))
    throw new NodeError(`the node lacks receipts of block ${height}`);
  return byHash;
}

/** Fetches receipts of paying transactions for their status. The logs get a receipt of their own, since other transactions emit some. */
async function singleReceipts(node: Node, hash: string, transactions: readonly Json[]): Promise<Json[]> {
  const paying = transactions.filter((transaction) => quantity(transaction['value'], 'the value of a transaction') > 0n);
  const receipts: Json[] = [];
  for (let at = 0; at < paying.length; at += receiptsAtOnce) {
    const some = paying.slice(at, at + receiptsAtOnce).map(async (transaction) => {
      const txid = textOf(transaction, 'hash');
      return { ...objectOf(await node.ask('eth_getTransactionReceipt', [txid]), `the receipt of transaction ${txid}`), logs: [] };
    });
    receipts.push(...(await Promise.all(some)));
  }
  const logs = listOf(await node.ask('eth_getLogs', [{ blockHash: hash, topics: [`0x${transferTopic}`] }]), 'the logs');
  return [...receipts, { transactionHash: `logs of ${hash}`, blockHash: hash, logs }];
}
