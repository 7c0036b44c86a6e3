import { x402Client } from '@x402/core/client';
import { decodePaymentRequiredHeader, decodePaymentResponseHeader, encodePaymentSignatureHeader } from '@x402/core/http';
import type { PaymentPayload, PaymentRequired, SettleResponse } from '@x402/core/types';
import { ExactEvmScheme } from '@x402/evm/exact/client';
import { ExactSvmScheme } from '@x402/svm/exact/client';
import {
  type EvmChain,
  type EvmWallet,
  type Facilitator,
  newEvmWallet,
  newSolanaWallet,
  type SolanaChain,
  type SolanaWallet,
  startEvmChain,
  startFacilitator,
  startSolanaChain,
} from '../../../../test/support/local-chains/index.ts';
import type { RiskApiSettings } from '../index.ts';
import { evmNetwork, type PayNetwork, solanaNetwork } from '../payments/networks.ts';
import { type Answer, createTestService, get, type Instance, post, type TestService } from './instance.ts';

/** Two chains, a facilitator, a service, receivers and a funded payer. */
export interface PayWorld {
  readonly evm: EvmChain;
  readonly solana: SolanaChain;
  readonly facilitator: Facilitator;
  readonly service: TestService;
  readonly settings: Partial<RiskApiSettings>;
  readonly receivers: Readonly<Record<PayNetwork, string>>;
  start(settings?: Partial<RiskApiSettings>): Promise<Instance>;
  payer(microUsdc?: bigint): Promise<Payer>;
  received(network: PayNetwork): Promise<bigint>;
  stop(): Promise<void>;
}

export interface Payer {
  readonly evm: EvmWallet;
  readonly solana: SolanaWallet;
  balance(network: PayNetwork): Promise<bigint>;
  /** Signs a payment for a 402 answer. */
  sign(required: PaymentRequired, network: PayNetwork): Promise<PaymentPayload>;
}

/** Uses the given service, or starts its own. */
export async function startPayWorld(given?: TestService): Promise<PayWorld> {
  const [evm, solana, service] = await Promise.all([startEvmChain(), startSolanaChain(), given ?? createTestService()]);
  const facilitator = await startFacilitator({ evm, solana });
  const receivers = { [evmNetwork]: newEvmWallet().address, [solanaNetwork]: (await newSolanaWallet()).address } as const;
  await solana.fund(receivers[solanaNetwork], 0n);
  const settings: Partial<RiskApiSettings> = {
    x402PayToEvm: receivers[evmNetwork],
    x402PayToSolana: receivers[solanaNetwork],
    x402FacilitatorUrl: facilitator.url,
    x402EvmRpcUrl: evm.url,
    x402SolanaRpcUrl: solana.url,
    x402EvmFinality: '0',
    x402ReconcileMs: 200,
  };
  const balanceOn = (network: PayNetwork, owner: string): Promise<bigint> => (network === evmNetwork ? evm : solana).balanceOf(owner);
  return {
    evm,
    solana,
    facilitator,
    service,
    settings,
    receivers,
    start: (own = {}) => service.start({ settings: { ...settings, ...own } }),
    received: (network) => balanceOn(network, receivers[network]),
    payer: async (microUsdc = 100_000_000n) => {
      const wallets = { evm: newEvmWallet(), solana: await newSolanaWallet() };
      await evm.fund(wallets.evm.address, microUsdc);
      await solana.fund(wallets.solana.address, microUsdc);
      const client = new x402Client()
        .register(evmNetwork, new ExactEvmScheme(wallets.evm.account))
        .register(solanaNetwork, new ExactSvmScheme(wallets.solana.signer, { rpcUrl: solana.url }));
      return {
        ...wallets,
        balance: (network) => balanceOn(network, network === evmNetwork ? wallets.evm.address : wallets.solana.address),
        sign: (required, network) =>
          client.createPaymentPayload({ ...required, accepts: required.accepts.filter((own) => own.network === network) }),
      };
    },
    stop: async () => {
      await service.stop();
      await facilitator.close();
      await Promise.all([evm.close(), solana.close()]);
    },
  };
}

export interface PaidCall {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly fields: Readonly<Record<string, string>>;
}

export function send(url: string, { method, path, fields }: PaidCall, headers: Record<string, string> = {}): Promise<Answer> {
  return method === 'GET' ? get(url + path, fields, headers) : post(url + path, fields, headers);
}

export async function requiredBy(url: string, call: PaidCall): Promise<PaymentRequired> {
  return requiredOf(await send(url, call));
}

export function requiredOf({ status, headers }: Answer): PaymentRequired {
  if (status !== 402) throw new Error(`the answer is ${status}`);
  return decodePaymentRequiredHeader(headers.get('payment-required') ?? '');
}

export function receiptIn({ headers }: Answer): SettleResponse {
  return decodePaymentResponseHeader(headers.get('payment-response') ?? '');
}

export function paymentHeader(payload: PaymentPayload): Record<string, string> {
  return { 'PAYMENT-SIGNATURE': encodePaymentSignatureHeader(payload) };
}

/** Calls, pays, and returns the answer with the payment header. */
export async function pay(
  url: string,
  call: PaidCall,
  payer: Payer,
  network: PayNetwork,
): Promise<{ answer: Answer; header: Record<string, string> }> {
  const header = paymentHeader(await payer.sign(await requiredBy(url, call), network));
  return { answer: await send(url, call, header), header };
}
