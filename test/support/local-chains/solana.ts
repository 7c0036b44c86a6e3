import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Address } from '@solana/kit';
import { listen, sendJson } from './faults.ts';
import { makeLedger, type SolanaLedger } from './solana-ledger.ts';
import { answerRpc } from './solana-rpc.ts';

/** A chain that stands for Solana's mainnet: its programs, USDC's mint at its address, and the JSON-RPC that clients call. */
export interface SolanaChain {
  readonly url: string;
  readonly network: 'solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp';
  /** USDC's mint. */
  readonly asset: string;
  /** Adds micro-USDC to the owner's associated token account, and opens that where there is none. */
  fund(owner: string, microUsdc: bigint): Promise<void>;
  /** Lamports for whoever pays fees. */
  fundGas(owner: string): Promise<void>;
  /** In micro-USDC. */
  balanceOf(owner: string): Promise<bigint>;
  /** How many transactions were executed and did what they say. */
  executed(): number;
  /** Transactions are taken and none is executed, until `mine`. */
  pauseMining(): Promise<void>;
  mine(): Promise<void>;
  /** What was signed until now and not executed never will be. */
  expireBlockhash(): void;
  /** What the next `times` calls of a method come to. */
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
