import {
  type Blockhash,
  createSolanaRpcFromTransport,
  getBase64Encoder,
  getTransactionDecoder,
  type RpcTransport,
  type Signature,
} from '@solana/kit';
import type { Clock } from '@weir/clock';
import type { StoredPayment } from '../ledger.ts';
import { type SolanaTransfer, solanaTransferOf } from './payment.ts';
import type { ReadChainStatus } from '../chain-status.ts';

const limitMs = 4_000;
/** A lagging node does not know a new blockhash and calls it expired. Its word counts once the payment is this old. */
const youngMs = 60_000;
/** Bounds of the search through one payer's transactions, newest first. */
const mostAtOnce = 1_000;
const mostPages = 5;

type Rpc = ReturnType<typeof rpcAt>;

interface Found {
  readonly signature: string;
  readonly failed: boolean;
}

/**
 * Whether the signed message was executed: by its signature where known, else by its unique memo among the payer's transactions. The
 * blockhash is asked first. A message not found after its blockhash has expired never will be executed.
 */
export function solanaChainStatus(rpcUrl: string, clock: Clock): ReadChainStatus {
  const rpc = rpcAt(rpcUrl);
  return async (payment) => {
    const transfer = solanaTransferOf(payment.payment.payload);
    if (transfer === undefined) return { is: 'unknown' };
    const { value: isOpen } = await rpc.isBlockhashValid(transfer.blockhash as Blockhash, { commitment: 'confirmed' }).send(limit());
    const found =
      payment.transaction === null ? await search(rpc, transfer, payment) : await findBySignature(rpc, payment.transaction as Signature);
    if (found === 'unknown') return { is: 'unknown' };
    if (found !== undefined) return found.failed ? { is: 'never', reason: 'failed' } : { is: 'paid', transaction: found.signature };
    const isYoung = clock.now() - payment.created_at.getTime() < youngMs;
    return isOpen || isYoung ? { is: 'open' } : { is: 'never', reason: 'expired' };
  };
}

async function findBySignature(rpc: Rpc, signature: Signature): Promise<Found | undefined> {
  const { value } = await rpc.getSignatureStatuses([signature], { searchTransactionHistory: true }).send(limit());
  const [known] = value;
  if (known === null || known === undefined || known.confirmationStatus === 'processed') return undefined;
  return { signature, failed: known.err !== null };
}

/** `unknown`: the bounds of the search are reached. */
async function search(rpc: Rpc, transfer: SolanaTransfer, { created_at }: StoredPayment): Promise<Found | 'unknown' | undefined> {
  const since = BigInt(Math.floor(created_at.getTime() / 1000) - 600);
  let before: Signature | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const listed = await rpc
      .getSignaturesForAddress(transfer.payer, {
        commitment: 'confirmed',
        limit: mostAtOnce,
        ...(before === undefined ? {} : { before }),
      })
      .send(limit());
    for (const { signature, memo, err } of listed) {
      if (!transfer.memos.some((own) => memo?.includes(own))) continue;
      if (await isThis(rpc, signature, transfer)) return { signature, failed: err !== null };
    }
    const last = listed.at(-1);
    if (last === undefined || listed.length < mostAtOnce || (last.blockTime ?? since) < since) return undefined;
    before = last.signature;
  }
  return 'unknown';
}

async function isThis(rpc: Rpc, signature: Signature, { messageBytes }: SolanaTransfer): Promise<boolean> {
  const found = await rpc
    .getTransaction(signature, { commitment: 'confirmed', encoding: 'base64', maxSupportedTransactionVersion: 0 })
    .send(limit());
  if (found === null) throw new Error('a transaction is listed and cannot be had');
  const { messageBytes: other } = getTransactionDecoder().decode(getBase64Encoder().encode(found.transaction[0]));
  return Buffer.from(other).equals(Buffer.from(messageBytes));
}

function limit(): { abortSignal: AbortSignal } {
  return { abortSignal: AbortSignal.timeout(limitMs) };
}

function rpcAt(url: string) {
  return createSolanaRpcFromTransport(transportTo(url));
}

/** bigint values of an answer become numbers: those read here fit. No redirect is followed. */
function transportTo(url: string): RpcTransport {
  return async <Response>({ payload, signal }: Parameters<RpcTransport>[0]): Promise<Response> => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(payload, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)),
      redirect: 'error',
      ...(signal === undefined ? {} : { signal }),
    });
    if (!response.ok) throw new Error(`the node answered with HTTP ${response.status}`);
    return (await response.json()) as Response;
  };
}
