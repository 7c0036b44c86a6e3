import type { LeftOut, TransferRow } from '../rows.ts';
import { Unusable } from '../source/fields.ts';
import type { Fields } from '../source/records.ts';
import type { Scope } from '../transfers/scope.ts';
import { tronTables } from '../transfers/tron-etl.ts';
import type { Block } from './block.ts';
import { type Json, listOf, objectOf, textOf } from './json.ts';
import { NodeError } from './node.ts';
import type { TronNode } from './tron-node.ts';

/** Contracts that move TRX, or a TRC-10 token, with the fields of amount and receiver (TRON's core/contract). */
const transfers: Readonly<Record<string, { amount: string; to: string; type: number }>> = {
  TransferContract: { amount: 'amount', to: 'to_address', type: 1 },
  TransferAssetContract: { amount: 'amount', to: 'to_address', type: 2 },
  TriggerSmartContract: { amount: 'call_value', to: 'contract_address', type: 31 },
};

/**
 * Reads a block with its receipts: transfers, logs and payments of contracts go through the mapping of `tron-etl`. Throws a NodeError when
 * the node lacks any of them, or has another block by then.
 */
export async function readTronBlock(node: TronNode, scope: Scope, height: number): Promise<Block> {
  const block = objectOf(await node.ask('getblockbynum', { num: height }), `block ${height}`);
  const header = headerOf(block, height);
  const transactions = listOf(block['transactions'] ?? [], `the transactions of block ${height}`);
  const said = transactions.length === 0 ? [] : await node.ask('gettransactioninfobyblocknum', { num: height });
  const receipts = new Map(listOf(said, `the receipts of block ${height}`).map((receipt) => [textOf(receipt, 'id'), receipt]));
  const time = new Date(header.timestamp).toISOString();
  const rows: TransferRow[] = [];
  const rejected: string[] = [];
  // As exporters number them: within the block.
  let logs = 0;
  for (const transaction of transactions) {
    const txid = textOf(transaction, 'txID');
    const receipt = receipts.get(txid);
    if (receipt === undefined) throw new NodeError(`the node has no receipt of transaction ${txid}, or block ${height} changed; ask again`);
    try {
      if (hasSucceeded(transaction, receipt)) rows.push(...rowsOf(scope, transaction, receipt, { txid, time, logs }));
    } catch (error) {
      if (!(error instanceof Unusable)) throw error;
      rejected.push(`transaction ${txid}: ${error.message}`);
    }
    logs += logsOf(receipt).length;
  }
  return { height, hash: header.hash, parentHash: header.parentHash, time, rows, rejected };
}

/** Undefined: the node has no block there. */
export async function tronHashAt(node: TronNode, height: number): Promise<string | undefined> {
  const block = objectOf(await node.ask('getblock', { id_or_num: String(height), detail: false }), `block ${height}`);
  return block['blockID'] === undefined ? undefined : headerOf(block, height).hash;
}

export async function tronHeight(node: TronNode): Promise<number> {
  const block = objectOf(await node.ask('getblock', { detail: false }), 'the newest block');
  return headerOf(block).number;
}

function headerOf(block: Json, height?: number): { hash: string; parentHash: string; number: number; timestamp: number } {
  const raw = objectOf(objectOf(block['block_header'], 'the header of a block')['raw_data'], 'the header of a block');
  // Block 0 has neither.
  const { number = 0, timestamp = 0 } = raw;
  if (typeof number !== 'number' || typeof timestamp !== 'number') throw new NodeError('the node gives a block without height and time');
  if (height !== undefined && number !== height) throw new NodeError(`the node gives another block for block ${height}`);
  return { hash: textOf(block, 'blockID'), parentHash: textOf(raw, 'parentHash'), number, timestamp };
}

function hasSucceeded({ ret }: Json, receipt: Json): boolean {
  const [result] = Array.isArray(ret) ? listOf(ret, 'the result of a transaction') : [];
  const contract = result?.['contractRet'];
  return (contract === undefined || contract === 'SUCCESS') && receipt['result'] !== 'FAILED';
}

const logsOf = (receipt: Json): readonly Json[] => listOf(receipt['log'] ?? [], 'the logs of a transaction');

function rowsOf(
  scope: Scope,
  transaction: Json,
  receipt: Json,
  { txid, time, logs }: { txid: string; time: string; logs: number },
): TransferRow[] {
  const tables = tronTables(scope);
  const common = { transaction_hash: txid, tx_hash: txid, block_timestamp: time };
  const kept = (rows: readonly TransferRow[] | LeftOut): readonly TransferRow[] => (typeof rows === 'string' ? [] : rows);
  const contracts = listOf(objectOf(transaction['raw_data'], 'the content of a transaction')['contract'], 'the contracts of a transaction');
  const moved = contracts.flatMap((contract) => {
    const move = moveOf(contract, receipt);
    return move === undefined ? [] : kept(tables.transfer({ ...common, ...move }));
  });
  const calls = listOf(receipt['internal_transactions'] ?? [], 'the payments of contracts').flatMap((call, n) =>
    listOf(call['callValueInfo'] ?? [], 'the values of a call').flatMap((value, at) =>
      kept(
        tables.internal({
          ...common,
          internal_index: n,
          call_info_index: at,
          caller_address: call['caller_address'],
          transferTo_address: call['transferTo_address'],
          call_value: value['callValue'] ?? 0,
          call_token_id: value['tokenId'] ?? null,
          rejected: call['rejected'] === true,
        }),
      ),
    ),
  );
  const logged = logsOf(receipt).flatMap((log, n) => kept(tables.log({ ...common, ...log, log_index: logs + n })));
  return [...moved, ...calls, ...logged];
}

/** As a row of `transfers`. Undefined: it moves nothing. */
function moveOf(contract: Json, receipt: Json): Fields | undefined {
  const type = textOf(contract, 'type');
  const value = objectOf(objectOf(contract['parameter'], 'the parameter of a contract')['value'], 'the value of a contract');
  if (type === 'CreateSmartContract') {
    const { call_value = 0 } = objectOf(value['new_contract'], 'the new contract');
    return {
      transaction_type: 30,
      from_address: value['owner_address'],
      to_address: receipt['contract_address'],
      value: call_value,
      log_index: 0,
    };
  }
  const form = transfers[type];
  if (form === undefined) return undefined;
  const token = type === 'TransferAssetContract' ? Buffer.from(textOf(value, 'asset_name'), 'hex').toString('latin1') : null;
  return {
    transaction_type: form.type,
    from_address: value['owner_address'],
    to_address: value[form.to],
    value: value[form.amount] ?? 0,
    token_address: token,
    log_index: 0,
  };
}
