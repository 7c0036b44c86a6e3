import { readFileSync } from 'node:fs';
import { createKeyPairSignerFromBytes, getBase58Encoder, type KeyPairSigner } from '@solana/kit';
import { type Clock, within } from '@weir/clock';
import { ConfigError } from '@weir/service-kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { createWalletClient, type Hex, http, publicActions } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { base } from 'viem/chains';
import type { Clients } from './facilitator.ts';
import { evmNetwork, solanaNetwork } from './networks.ts';
import type { PaymentConfig } from './payment-config.ts';
import type { PaySettings } from './settings.ts';

/** A facilitator in this process, for the offered networks. Its keys only pay gas; the payments go to the receivers. */
export async function ownClients(plan: PaymentConfig, settings: PaySettings, clock: Clock): Promise<Clients> {
  const facilitator = new x402Facilitator();
  if (plan.receivers.has(evmNetwork)) facilitator.register(evmNetwork, new ExactEvmScheme(evmSigner(settings)));
  if (plan.receivers.has(solanaNetwork)) {
    const signer = await solanaSigner(settings);
    facilitator.register(solanaNetwork, new ExactSvmScheme(toFacilitatorSvmSigner(signer, { defaultRpcUrl: settings.x402SolanaRpcUrl })));
  }
  const { x402VerifyLimitMs: verifyMs, x402SettleLimitMs: settleMs } = settings;
  return {
    verify: {
      verify: (payload, requirements) => within(clock, verifyMs, facilitator.verify(payload, requirements)),
      getSupported: async () => facilitator.getSupported() as Awaited<ReturnType<Clients['verify']['getSupported']>>,
    },
    settle: { settle: (payload, requirements) => within(clock, settleMs, facilitator.settle(payload, requirements)) },
  };
}

function evmSigner(settings: PaySettings) {
  const key = secretOf('EVM', settings.x402EvmSignerKey, settings.x402EvmSignerKeyFile);
  if (!/^0x[0-9a-fA-F]{64}$/.test(key))
    throw new ConfigError('setting WEIR_X402_EVM_SIGNER_KEY is wrong: must be 0x and 64 hexadecimal digits');
  const account = privateKeyToAccount(key as Hex);
  const transport = http(settings.x402EvmRpcUrl, { timeout: settings.x402VerifyLimitMs, fetchOptions: { redirect: 'error' } });
  const client = createWalletClient({ account, chain: base, transport, pollingInterval: 500 }).extend(publicActions);
  const inTurn = oneAtATime();
  return toFacilitatorEvmSigner(
    {
      address: account.address,
      readContract: (args) => client.readContract(args),
      verifyTypedData: (args) => client.verifyTypedData(args as never),
      writeContract: (args) => inTurn(() => client.writeContract(args as never)),
      sendTransaction: (args) => inTurn(() => client.sendTransaction(args as never)),
      waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
      getCode: (args) => client.getCode(args),
    },
    { confirmationTimeoutMs: settings.x402SettleLimitMs },
  );
}

/** Two concurrent transactions would take the same nonce. A nonce whose transaction fails would block every later one. */
function oneAtATime(): <T>(send: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (send) => {
    const sent = last.then(send, send);
    last = sent.catch(() => undefined);
    return sent;
  };
}

async function solanaSigner(settings: PaySettings): Promise<KeyPairSigner> {
  const key = secretOf('SOLANA', settings.x402SolanaSignerKey, settings.x402SolanaSignerKeyFile);
  try {
    const bytes = key.startsWith('[') ? Uint8Array.from(JSON.parse(key) as number[]) : getBase58Encoder().encode(key);
    return await createKeyPairSignerFromBytes(bytes);
  } catch {
    // The cause may quote the key.
    throw new ConfigError("setting WEIR_X402_SOLANA_SIGNER_KEY is wrong: must be 64 bytes in base58, or the array of a wallet's file");
  }
}

function secretOf(name: 'EVM' | 'SOLANA', key: string, file: string): string {
  if (key !== '') return key.trim();
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`setting WEIR_X402_${name}_SIGNER_KEY_FILE is wrong: the file cannot be read`);
  }
}
