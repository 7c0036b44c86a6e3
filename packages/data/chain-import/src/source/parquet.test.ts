import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTransferFile } from '../formats.ts';
import { collect, makeFolder, rowsOf } from '../testing/files.ts';
import { ofData, publicFile } from '../testing/public-files.ts';

const folder = makeFolder();
const file = (name: string): string => `${folder.path}/${name}`;
const source = (name: string): string => publicFile('transfers', name);
const blocks = 'eth_blocks_17173049_17173050';
const transactions = ofData({ whole: 298, small: 206 });

beforeAll(async () => {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  // Exporters' column types: large numbers as decimals or texts, timestamps, lists of structures.
  const copies: [string, string][] = [
    [
      'token_transfers[1].parquet',
      `SELECT token_address, from_address, to_address, value, transaction_hash, log_index, block_number, to_timestamp(block_timestamp) AS block_timestamp
       FROM read_json('${source(`${blocks}/token_transfers.json`)}', columns = {token_address: 'VARCHAR', from_address: 'VARCHAR', to_address: 'VARCHAR',
         value: 'VARCHAR', transaction_hash: 'VARCHAR', log_index: 'BIGINT', block_number: 'BIGINT', block_timestamp: 'BIGINT'})`,
    ],
    [
      'transactions.parquet',
      `SELECT * REPLACE (value::DECIMAL(38, 0) AS value, make_timestamp(block_timestamp * 1000000) AS block_timestamp)
       FROM read_json('${source(`${blocks}/transactions.json`)}', columns = {hash: 'VARCHAR', from_address: 'VARCHAR', to_address: 'VARCHAR',
         value: 'VARCHAR', block_timestamp: 'BIGINT', receipt_status: 'BIGINT'})`,
    ],
    ['bitcoin.parquet', `SELECT * FROM read_json('${source('btc_block_300025.jsonl')}')`],
    ['floats.parquet', `SELECT 'x' AS hash, 'a' AS from_address, 'b' AS to_address, 1e22::DOUBLE AS value, 1683029999 AS block_timestamp`],
  ];
  for (const [name, query] of copies) await connection.run(`COPY (${query}) TO '${file(name)}' (FORMAT parquet, ROW_GROUP_SIZE 2048)`);
  instance.closeSync();
});
afterAll(() => folder.remove());

const ethereum = { chain: 'ethereum', source: 'a test' } as const;

describe('Parquet', () => {
  it('gives the same transfers of tokens as JSON lines, also by a name with brackets', async () => {
    const rows = await rowsOf(readTransferFile(file('token_transfers[1].parquet'), 'parquet', { ...ethereum, table: 'token_transfers' }));
    expect(rows).toHaveLength(ofData({ whole: 288, small: 152 }));
    expect(rows).toEqual(await rowsOf(readTransferFile(source(`${blocks}/token_transfers.json`), 'ethereum-etl', ethereum)));
  });

  it('gives the same transactions, by the columns alone', async () => {
    const rows = await rowsOf(readTransferFile(file('transactions.parquet'), 'parquet', ethereum));
    expect(rows).toEqual(await rowsOf(readTransferFile(source(`${blocks}/transactions.json`), 'ethereum-etl', ethereum)));
  });

  it('gives the same transactions of Bitcoin, whose inputs and outputs are lists', async () => {
    const bitcoin = { chain: 'bitcoin', source: 'a test' } as const;
    const rows = await rowsOf(readTransferFile(file('bitcoin.parquet'), 'parquet', bitcoin));
    expect(rows).toEqual(await rowsOf(readTransferFile(source('btc_block_300025.jsonl'), 'bitcoin-etl', bitcoin)));
  });

  it('can be read from anywhere', async () => {
    const read = readTransferFile(file('transactions.parquet'), 'parquet', ethereum);
    const all = await collect(read(0));
    expect(all.map(({ number }) => number)).toEqual(Array.from({ length: transactions }, (_, at) => at + 1));
    for (const after of [1, 100, transactions - 1, transactions, 500]) expect(await collect(read(after))).toEqual(all.slice(after));
  });

  it('may be left before its end', async () => {
    for await (const record of readTransferFile(file('transactions.parquet'), 'parquet', ethereum)(0)) if (record.number === 3) break;
  });

  it('rejects values that were kept as floats', async () => {
    expect(await collect(readTransferFile(file('floats.parquet'), 'parquet', ethereum)(0))).toEqual([
      expect.objectContaining({ number: 1, rejected: 'value was kept as a float and has lost digits' }),
    ]);
  });

  it('that is damaged fails with its name', async () => {
    const path = folder.write('damaged.parquet', 'PAR1 and then nothing PAR1');
    await expect(collect(readTransferFile(path, 'parquet', ethereum)(0))).rejects.toThrow('damaged.parquet cannot be read as Parquet');
  });
});
