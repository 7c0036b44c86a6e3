import { ConfigError } from '@weir/service-kit';
import { evmNetwork, type PayNetwork, solanaNetwork } from './networks.ts';
import { type PaidName, pricesOf } from './prices.ts';
import type { PaySettings } from './settings.ts';

export interface PaymentConfig {
  /** Networks with a receiving address, in the order of the offer. */
  readonly receivers: ReadonlyMap<PayNetwork, string>;
  readonly prices: Readonly<Record<PaidName, string>>;
}

/**
 * The plan from the settings; undefined where the surface is off. Fails with `ConfigError` when an offered network has no way to settle.
 */
export function paymentConfigOf(settings: PaySettings): PaymentConfig | undefined {
  const receivers = new Map<PayNetwork, string>();
  if (settings.x402PayToEvm !== '') receivers.set(evmNetwork, settings.x402PayToEvm);
  if (settings.x402PayToSolana !== '') receivers.set(solanaNetwork, settings.x402PayToSolana);
  if (receivers.size === 0) return undefined;
  if (settings.x402FacilitatorUrl === '') {
    for (const network of receivers.keys()) requireOwn(settings, network);
  }
  return { receivers, prices: pricesOf(settings.x402Prices) };
}

function requireOwn(settings: PaySettings, network: PayNetwork): void {
  const [name, rpcUrl, key, file] =
    network === evmNetwork
      ? ['EVM', settings.x402EvmRpcUrl, settings.x402EvmSignerKey, settings.x402EvmSignerKeyFile]
      : ['SOLANA', settings.x402SolanaRpcUrl, settings.x402SolanaSignerKey, settings.x402SolanaSignerKeyFile];
  if (rpcUrl !== '' && (key === '') !== (file === '')) return;
  throw new ConfigError(
    `setting WEIR_X402_FACILITATOR_URL is wrong: with WEIR_X402_PAY_TO_${name} payments need a facilitator; give its address, or have this process settle ` +
      `with WEIR_X402_${name}_RPC_URL and one of WEIR_X402_${name}_SIGNER_KEY and WEIR_X402_${name}_SIGNER_KEY_FILE`,
  );
}
