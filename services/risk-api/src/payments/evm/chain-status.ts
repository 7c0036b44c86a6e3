import { eip3009ABI } from '@x402/evm';
import { createPublicClient, type Hex, http, keccak256, pad, parseAbi, parseEventLogs, type RpcLog, toHex } from 'viem';
import { type EvmTransfer, evmTransferOf } from './payment.ts';
import type { StoredPayment } from '../ledger.ts';
import type { ChainStatus, ReadChainStatus } from '../chain-status.ts';

const limitMs = 4_000;
const used = keccak256(toHex('AuthorizationUsed(address,bytes32)'));
const cancelled = keccak256(toHex('AuthorizationCanceled(address,bytes32)'));
const transferred = parseAbi(['event Transfer(address indexed from, address indexed to, uint256 value)']);
/** Nodes limit the block range of one log query. Base produces 43,200 blocks a day. */
const blocksAtOnce = 2_000n;
const mostBlocks = 50_000n;

type Client = ReturnType<typeof clientAt>;
type UseEvent = Pick<RpcLog, 'transactionHash' | 'logIndex'>;

/**
 * Whether this transfer used the authorization. A cancellation also uses the nonce, and so does another transfer that the payer signed
 * with it. So the search finds the event that used the nonce, and reads the token's Transfer event right after it.
 */
export const evmChainStatus =
  (finality: string) =>
  (rpcUrl: string): ReadChainStatus => {
    const client = clientAt(rpcUrl);
    return async (payment) => {
      const signed = evmTransferOf(payment.payment.payload);
      if (signed === undefined) return { is: 'unknown' };
      const { from, nonce, validBefore } = signed.authorization;
      const last = await lastBlock(client, finality);
      const isUsed = await client.readContract({
        address: payment.requirements.asset as Hex,
        abi: eip3009ABI,
        functionName: 'authorizationState',
        args: [from as Hex, nonce as Hex],
        blockNumber: last.number,
      });
      if (!isUsed) return last.timestamp >= BigInt(validBefore) ? { is: 'never', reason: 'expired' } : { is: 'open' };
      return statusOfUsed(client, payment, signed, last.number);
    };
  };

function clientAt(rpcUrl: string) {
  return createPublicClient({
    transport: http(rpcUrl, { timeout: limitMs, retryCount: 1, fetchOptions: { redirect: 'error' } }),
  });
}

/** The newest block that counts as final: a chain may still reorganise newer ones. */
async function lastBlock(client: Client, finality: string) {
  if (finality === 'safe' || finality === 'finalized') return client.getBlock({ blockTag: finality });
  const newest = await client.getBlockNumber({ cacheTime: 0 });
  const confirmations = BigInt(finality);
  return client.getBlock({ blockNumber: newest > confirmations ? newest - confirmations : 0n });
}

/** Without an event in the last blocks, the transaction that the facilitator named is read. */
async function statusOfUsed(
  client: Client,
  { requirements, transaction }: StoredPayment,
  signed: EvmTransfer,
  last: bigint,
): Promise<ChainStatus> {
  const token = requirements.asset as Hex;
  const event = await findUse(client, signed, token, last);
  if (event !== undefined)
    return event.topics[0] === cancelled ? { is: 'never', reason: 'cancelled' } : statusOfUse(client, event, signed, token);
  return transaction === null ? { is: 'unknown' } : statusInTransaction(client, transaction as Hex, signed, token);
}

/** The event that used or cancelled the authorization, searched from the newest block backwards. */
async function findUse(client: Client, { authorization }: EvmTransfer, token: Hex, last: bigint): Promise<RpcLog | undefined> {
  const topics: (Hex | Hex[])[] = [[used, cancelled], pad(authorization.from as Hex).toLowerCase() as Hex, authorization.nonce as Hex];
  for (let to = last, seen = 0n; seen < mostBlocks; to -= blocksAtOnce, seen += blocksAtOnce) {
    const from = to >= blocksAtOnce ? to - blocksAtOnce + 1n : 0n;
    const [event] = await client.request({
      method: 'eth_getLogs',
      params: [{ address: token, topics, fromBlock: toHex(from), toBlock: toHex(to) }],
    });
    if (event !== undefined || from === 0n) return event;
  }
  return undefined;
}

async function statusInTransaction(client: Client, hash: Hex, signed: EvmTransfer, token: Hex): Promise<ChainStatus> {
  const { logs } = await client.getTransactionReceipt({ hash });
  const event = logs.find(
    ({ address, topics }) =>
      address.toLowerCase() === token.toLowerCase() && topics[0] === used && topics[2] === signed.authorization.nonce,
  );
  return event === undefined
    ? { is: 'unknown' }
    : statusOfUse(client, { transactionHash: hash, logIndex: toHex(event.logIndex) }, signed, token);
}

/** Compares the Transfer event right after the event that used the authorization. */
async function statusOfUse(client: Client, event: UseEvent, { authorization }: EvmTransfer, token: Hex): Promise<ChainStatus> {
  const { transactionHash: hash, logIndex: useIndex } = event;
  if (hash === null || useIndex === null) return { is: 'unknown' };
  const { logs } = await client.getTransactionReceipt({ hash });
  const next = logs.filter(
    ({ logIndex, address }) => BigInt(logIndex) === BigInt(useIndex) + 1n && address.toLowerCase() === token.toLowerCase(),
  );
  const [transfer] = parseEventLogs({ abi: transferred, logs: next });
  const isOurs =
    transfer !== undefined &&
    transfer.args.from.toLowerCase() === authorization.from.toLowerCase() &&
    transfer.args.to.toLowerCase() === authorization.to.toLowerCase() &&
    transfer.args.value === BigInt(authorization.value);
  return isOurs ? { is: 'paid', transaction: hash } : { is: 'never', reason: 'cancelled' };
}
