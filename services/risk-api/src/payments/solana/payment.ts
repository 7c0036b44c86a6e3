import { createHash } from 'node:crypto';
import {
  type Address,
  getAddressEncoder,
  getBase64Encoder,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getPublicKeyFromAddress,
  getTransactionDecoder,
  type Transaction,
  verifySignature,
} from '@solana/kit';
import type { PaymentRequirements } from '@x402/core/types';
import { z } from 'zod';
import type { PaymentError, Signed } from '../verification.ts';

const tokenProgram = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA' as Address;
const associatedTokenProgram = 'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL' as Address;
const memoProgram = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const systemProgram = '11111111111111111111111111111111';
/** SPL Token's TransferChecked. Data: this byte, the amount in eight bytes, the decimals. Accounts: source, mint, destination, owner. */
const transferChecked = 12;

const wire = z.strictObject({ transaction: z.base64().max(2_048) });

export interface SolanaTransfer {
  readonly payer: Address;
  readonly destination: string;
  readonly mint: string;
  readonly amount: bigint;
  readonly memos: readonly string[];
  readonly blockhash: string;
  readonly messageBytes: Uint8Array;
  readonly transaction: Transaction;
}

/** The single TransferChecked of the transaction; undefined when it cannot be parsed, or has none or several. */
export function solanaTransferOf(payload: unknown): SolanaTransfer | undefined {
  const parsed = wire.safeParse(payload);
  if (!parsed.success) return undefined;
  try {
    const transaction = getTransactionDecoder().decode(getBase64Encoder().encode(parsed.data.transaction));
    const message = getCompiledTransactionMessageDecoder().decode(transaction.messageBytes);
    // x402 signs version 0; another may hide instructions from this check.
    if (message.version !== 'legacy' && message.version !== 0) return undefined;
    const at = (index: number | undefined): string => message.staticAccounts[index ?? -1] ?? '';
    const programs = message.instructions.map((own) => ({ program: at(own.programAddressIndex), own }));
    const [transfer, another] = programs.filter(({ program, own }) => program === tokenProgram && own.data?.[0] === transferChecked);
    const { accountIndices: accounts = [], data } = transfer?.own ?? {};
    // A durable nonce would keep it valid after its blockhash expires, and nobody could prove that it will never be executed.
    if (programs.some(({ program }) => program === systemProgram)) return undefined;
    if (data === undefined || data.length !== 10 || another !== undefined || accounts.length < 4) return undefined;
    const memos = programs.filter(({ program }) => program === memoProgram).map(({ own }) => Buffer.from(own.data ?? []).toString());
    return {
      payer: at(accounts[3]) as Address,
      mint: at(accounts[1]),
      destination: at(accounts[2]),
      amount: Buffer.from(data).readBigUInt64LE(1),
      memos,
      blockhash: message.lifetimeToken,
      messageBytes: new Uint8Array(transaction.messageBytes),
      transaction,
    };
  } catch {
    return undefined;
  }
}

export async function readSolanaPayment(payload: unknown, requirements: PaymentRequirements): Promise<Signed | PaymentError> {
  const transfer = solanaTransferOf(payload);
  if (transfer === undefined) return 'invalid_payload';
  const key = createHash('sha256').update(transfer.messageBytes).digest('hex');
  const proven = await isSignedBy(transfer);
  // Every Solana signature can be verified here, so a wrong one costs no call to the facilitator.
  const fault = (await faultOf(transfer, requirements)) ?? (proven ? undefined : 'invalid_signature');
  return { payer: transfer.payer, key, proven, fault };
}

async function faultOf(transfer: SolanaTransfer, requirements: PaymentRequirements): Promise<PaymentError | undefined> {
  if (transfer.mint !== requirements.asset) return 'invalid_asset';
  if (transfer.destination !== (await tokenAccountOf(requirements.payTo, requirements.asset))) return 'invalid_recipient';
  if (transfer.amount !== BigInt(requirements.amount)) return 'invalid_amount';
  return transfer.memos.length === 1 && transfer.memos[0] === requirements.extra?.['memo'] ? undefined : 'resource_mismatch';
}

async function tokenAccountOf(owner: string, mint: string): Promise<string> {
  const bytes = getAddressEncoder();
  const seeds = [bytes.encode(owner as Address), bytes.encode(tokenProgram), bytes.encode(mint as Address)];
  return (await getProgramDerivedAddress({ programAddress: associatedTokenProgram, seeds }))[0];
}

async function isSignedBy({ payer, transaction }: SolanaTransfer): Promise<boolean> {
  const signature = transaction.signatures[payer];
  if (signature === null || signature === undefined) return false;
  try {
    return await verifySignature(await getPublicKeyFromAddress(payer), signature, transaction.messageBytes);
  } catch {
    return false;
  }
}
