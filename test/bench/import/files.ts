import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { TransferRow } from '@weir/chain-import';
import type { BenchChain } from '../store/rows.ts';

/** A file of the bench's transfers, as `weir transfers import` takes it. */
export interface ImportFile {
  readonly format: 'csv' | 'ethereum-etl';
  readonly header: string;
  readonly line: (row: TransferRow) => string;
}

/** The contract of USDT; its amounts have six decimals. */
const contract = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const etlColumns = 'token_address,from_address,to_address,value,transaction_hash,log_index,block_number,block_timestamp';

export const importFiles: readonly ImportFile[] = [
  {
    format: 'csv',
    header: 'chain,txid,position,from_address,to_address,coin,amount,usd_value,time,source',
    line: (row) =>
      [
        row.chain,
        row.txid,
        row.position,
        row.from_address,
        row.to_address,
        row.coin,
        row.amount ?? '',
        row.usd_value ?? '',
        row.time,
        row.source,
      ].join(','),
  },
  {
    format: 'ethereum-etl',
    header: etlColumns,
    line: (row) => [contract, row.from_address, row.to_address, unitsOf(row), row.txid, row.position, 1, row.time].join(','),
  },
];

function unitsOf({ amount }: TransferRow): bigint {
  return BigInt(Math.round(Number(amount ?? '1') * 100)) * 10_000n;
}

export async function writeImportFile(path: string, { header, line }: ImportFile, chain: BenchChain): Promise<void> {
  await pipeline(async function* lines() {
    let text = `${header}\n`;
    for await (const record of chain.transfers()) {
      for (const row of 'rows' in record ? record.rows : []) text += `${line(row)}\n`;
      if (text.length < 100_000) continue;
      yield text;
      text = '';
    }
    yield text;
  }, createWriteStream(path));
}
