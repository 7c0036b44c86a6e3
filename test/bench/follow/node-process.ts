/**
 * An Ethereum node in its own process, so that it takes no time from the measured one. Its chain has the transfers of the bench, 100 a
 * block, each as a log of USDT. Sends its address, and the number of answered requests on 'count'. Arguments: transfers, transfers a block.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { benchChain } from '../store/rows.ts';

const [size = 0, perBlock = 1] = process.argv.slice(2).map(Number);
const contract = '0xdac17f958d2ee523a2206206994597c13d831ec7';
const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const word = (hex: string): string => `0x${hex.replace(/^0x/, '').padStart(64, '0')}`;
const quantity = (n: number): string => `0x${n.toString(16)}`;
const hashOf = (height: number): string => word(`b10c${height.toString(16)}`);

const transfers: { txid: string; from: string; to: string; value: string }[] = [];
for await (const record of benchChain(size).transfers())
  for (const row of 'rows' in record ? record.rows : [])
    transfers.push({
      txid: word(transfers.length.toString(16)),
      from: row.from_address,
      to: row.to_address,
      value: word(BigInt(Math.round(Number(row.amount ?? '1') * 1e6)).toString(16)),
    });
const head = Math.ceil(size / perBlock);
const ofBlock = (height: number): typeof transfers => transfers.slice((height - 1) * perBlock, height * perBlock);

const answers: Record<string, (tag: string) => unknown> = {
  eth_chainId: () => '0x1',
  eth_getBlockByNumber: (tag) => {
    const height = tag === 'latest' || tag === 'finalized' ? head : Number(tag);
    if (height > head) return null;
    return {
      number: quantity(height),
      hash: hashOf(height),
      parentHash: hashOf(height - 1),
      timestamp: quantity(1_700_000_000 + height * 12),
      transactions: ofBlock(height).map(({ txid, from }) => ({ hash: txid, from, to: contract, value: '0x0' })),
    };
  },
  eth_getBlockReceipts: (tag) =>
    ofBlock(Number(tag)).map(({ txid, from, to, value }, n) => ({
      transactionHash: txid,
      blockHash: hashOf(Number(tag)),
      status: '0x1',
      contractAddress: null,
      logs: [
        {
          address: contract,
          topics: [transferTopic, word(from), word(to)],
          data: value,
          logIndex: quantity(n),
          transactionHash: txid,
          blockHash: hashOf(Number(tag)),
        },
      ],
    })),
};

let asked = 0;
async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  asked += 1;
  let body = '';
  for await (const chunk of request) body += String(chunk);
  const { id, method, params } = JSON.parse(body) as { id: number; method: string; params: [string] };
  const known = answers[method];
  const said = known === undefined ? { error: { code: -32_601, message: 'no such method' } } : { result: known(params[0]) };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...said }));
}

const server = createServer((request, response) => void answer(request, response));
server.listen(0, '127.0.0.1', () => process.send?.({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, head }));
process.on('message', () => process.send?.({ asked }));
process.once('disconnect', () => process.exit());
