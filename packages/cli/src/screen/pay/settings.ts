import type { Schema } from '@weir/service-kit';

export interface PaySettings {
  payUrl: string;
  payKey: string;
  paySolanaRpcUrl: string;
}

/** For `weir screen --pay`. */
export const payingSchema = {
  payUrl: {
    doc: 'Risk API that weir screen --pay pays per call; empty: the one of WEIR_UPSTREAM_URL, or the Weir that runs here',
    format: 'http-url',
    default: '',
    env: 'WEIR_PAY_URL',
  },
  payKey: {
    doc: "Private key that weir screen --pay pays with: 0x and 64 digits for Base; for Solana 64 bytes in base58, or as the array of a wallet's file",
    format: String,
    default: '',
    env: 'WEIR_PAY_KEY',
    sensitive: true,
  },
  paySolanaRpcUrl: {
    doc: 'JSON-RPC of Solana for payments from there; empty: the public one',
    format: 'http-url',
    default: '',
    env: 'WEIR_PAY_SOLANA_RPC_URL',
    sensitive: true,
  },
} as unknown as Schema<PaySettings>;
