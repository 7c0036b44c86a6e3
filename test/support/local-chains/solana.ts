import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '@solana/kit';
import { listen, sendJson } from './faults.ts';
import { makeLedger, type SolanaLedger } from './solana-ledger.ts';
import { answerRpc } from './solana-rpc.ts';

/** A local Solana mainnet with USDC's mint at its address. */
export interface SolanaChain {
  readonly url: string;
  readonly network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  readonly asset: string;
  /** Opens the associated token account if needed. */
  fund(owner: string, microUsdc: bigint): Promise<void>;
  fundGas(owner: string): Promise<void>;
  /** In micro-USDC. */
  balanceOf(owner: string): Promise<bigint>;
  executed(): number;
  /** Accepts transactions but executes none until `mine`. */
  pauseMining(): Promise<void>;
  mine(): Promise<void>;
  /** Pending transactions that were signed before this call never execute. */
  expireBlockhash(): void;
  fault(method: string, fault: RpcFault, times?: number): void;
  close(): Promise<void>;
}

export type RpcFault = { readonly kind: 'drop' } | { readonly kind: 'delay'; readonly ms: number };

export async function startSolanaChain(): Promise<SolanaChain> {
  const ledger: SolanaLedger = makeLedger();
  const faults: { method: string; fault: RpcFault; times: number }[] = [];

  const listener = await listen(async (_request, body, response: ServerResponse) => {
    const call = JSON.parse(body) as { id: unknown; method: string; params: readonly unknown[] };
    const planned = faults.find(({ method, times }) => method === call.method && times > 0);
    if (planned !== undefined) {
      planned.times -= 1;
      if (planned.fault.kind === 'drop') return void response.destroy();
      await delay(planned.fault.ms);
    }
    sendJson(response, 200, { jsonrpc: '2.0', id: call.id, ...answerRpc(ledger, call.method, call.params) });
  });

  return {
    url: listener.url,
    network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp',
    asset: ledger.mint,
    fund: (owner, microUsdc) => ledger.fund(owner as Address, microUsdc),
    fundGas: async (owner) => ledger.fundGas(owner as Address),
    balanceOf: (owner) => ledger.balanceOf(owner as Address),
    executed: () => ledger.executed,
    pauseMining: async () => ledger.pause(),
    mine: async () => ledger.resume(),
    expireBlockhash: () => ledger.svm.expireBlockhash(),
    fault: (method, fault, times = 1) => void faults.push({ method, fault, times }),
    close: listener.close,
  };
}
