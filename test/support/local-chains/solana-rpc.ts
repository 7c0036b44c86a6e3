import { type Address, getBase64Encoder, getTransactionDecoder, type Transaction } from '@solana/kit';
import type { SolanaLedger } from './solana-ledger.ts';

/** Only the methods that x402's clients and facilitators call. */
export function answerRpc(ledger: SolanaLedger, method: string, params: readonly unknown[]): { result: unknown } | { error: unknown } {
  const methodOf = methods[method];
  if (methodOf === undefined) return { error: { code: -32601, message: `Method not found: ${method}` } };
  try {
    return { result: methodOf(ledger, params) };
  } catch (error) {
    return { error: { code: -32603, message: error instanceof Error ? error.message : 'failed' } };
  }
}

const methods: Readonly<Record<string, (ledger: SolanaLedger, params: readonly unknown[]) => unknown>> = {
  getAccountInfo: (ledger, [address]) => {
    const found = ledger.svm.getAccount(address as Address);
    if (!found.exists) return withContext(ledger, null);
    return withContext(ledger, {
      data: [Buffer.from(found.data).toString('base64'), 'base64'],
      executable: found.executable,
      lamports: found.lamports,
      owner: found.programAddress,
      rentEpoch: 0,
      space: found.data.length,
    });
  },
  getBalance: (ledger, [address]) => withContext(ledger, ledger.svm.getBalance(address as Address) ?? 0),
  getLatestBlockhash: (ledger) => withContext(ledger, { blockhash: ledger.svm.latestBlockhash(), lastValidBlockHeight: 1_000_000 }),
  getSlot: (ledger) => slotOf(ledger),
  getBlockHeight: (ledger) => slotOf(ledger),
  isBlockhashValid: (ledger, [blockhash]) => withContext(ledger, ledger.svm.latestBlockhash() === blockhash),
  simulateTransaction: (ledger, [wire]) => {
    const { err, logs, units } = ledger.simulate(decode(wire));
    return withContext(ledger, { err, logs, accounts: null, unitsConsumed: units, returnData: null, innerInstructions: null });
  },
  sendTransaction: (ledger, [wire]) => ledger.send(decode(wire)),
  getSignatureStatuses: (ledger, [signatures]) =>
    withContext(
      ledger,
      (signatures as string[]).map((signature) => {
        const status = ledger.find(signature);
        if (status === undefined) return null;
        const { err } = status;
        return {
          slot: slotOf(ledger),
          confirmations: null,
          err,
          confirmationStatus: 'finalized',
          status: err === null ? { Ok: null } : { Err: err },
        };
      }),
    ),
  getSignaturesForAddress: (ledger, [account, options]) => {
    const { limit = 1_000, before } = (options ?? {}) as { limit?: number; before?: string };
    const all = ledger.listOf(account as string);
    const from = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1;
    return all.slice(from, from + limit).map(({ signature, err, memo, at }) => {
      return { signature, err, memo, blockTime: at, slot: slotOf(ledger), confirmationStatus: 'finalized' };
    });
  },
  getTransaction: (ledger, [signature]) => {
    const found = ledger.find(signature as string);
    if (found === undefined) return null;
    return { slot: slotOf(ledger), blockTime: found.at, transaction: [found.wire, 'base64'], meta: null, version: 0 };
  },
};

function decode(wire: unknown): Transaction {
  return getTransactionDecoder().decode(getBase64Encoder().encode(wire as string));
}

function slotOf(ledger: SolanaLedger): number {
  return Number(ledger.svm.getClock().slot);
}

function withContext(ledger: SolanaLedger, value: unknown): unknown {
  return { context: { apiVersion: '3.0.0', slot: slotOf(ledger) }, value };
}
