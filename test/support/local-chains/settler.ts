import { setTimeout as delay } from 'node:timers/promises';
import { createSolanaRpc, mainnet } from '@solana/kit';
import { x402Facilitator } from '@x402/core/facilitator';
import { type FacilitatorEvmSigner, toFacilitatorEvmSigner } from '@x402/evm';
import { ExactEvmScheme } from '@x402/evm/exact/facilitator';
import { type FacilitatorSvmSigner, TransactionOnchainFailureError, toFacilitatorSvmSigner } from '@x402/svm';
import { ExactSvmScheme } from '@x402/svm/exact/facilitator';
import { createWalletClient, publicActions } from 'viem';
import { patientHttp } from './client.ts';
import type { EvmChain } from './evm.ts';
import type { SolanaChain } from './solana.ts';
import { oneAtATime } from './turns.ts';
import { newEvmWallet, newSolanaWallet } from './wallets.ts';

export async function makeSettler({
  evm,
  solana,
  confirmationMs,
}: {
  readonly evm: EvmChain;
  readonly solana: SolanaChain;
  readonly confirmationMs: number;
}): Promise<{ facilitator: x402Facilitator; feePayer: string }> {
  const evmWallet = newEvmWallet();
  const solanaWallet = await newSolanaWallet();
  await evm.fundGas(evmWallet.address);
  await solana.fundGas(solanaWallet.address);

  const client = createWalletClient({
    account: evmWallet.account,
    chain: evm.chain,
    transport: patientHttp(evm.url),
    pollingInterval: 20,
  }).extend(publicActions);
  const inTurn = oneAtATime();
  const signer = toFacilitatorEvmSigner(
    {
      address: evmWallet.address,
      readContract: (args) => client.readContract(args),
      verifyTypedData: (args) => client.verifyTypedData(args as never),
      writeContract: (args) => inTurn(() => client.writeContract(args as never)),
      sendTransaction: (args) => inTurn(() => client.sendTransaction(args as never)),
      waitForTransactionReceipt: (args) => client.waitForTransactionReceipt(args),
      getCode: (args) => client.getCode(args),
    } satisfies Omit<FacilitatorEvmSigner, 'getAddresses'> & { address: `0x${string}` },
    { confirmationTimeoutMs: confirmationMs },
  );

  const rpc = createSolanaRpc(mainnet(solana.url));
  const svmSigner: FacilitatorSvmSigner = {
    ...toFacilitatorSvmSigner(solanaWallet.signer, { [solana.network]: rpc }),
    // The library's own waits thirty seconds for a pending transaction.
    confirmTransaction: async (signature) => {
      const end = performance.now() + confirmationMs;
      for (;;) {
        const { value } = await rpc.getSignatureStatuses([signature as never]).send();
        if (value[0]?.err) throw new TransactionOnchainFailureError('the transaction failed');
        if (value[0]) return;
        if (performance.now() > end) throw new Error('not executed in time');
        await delay(25);
      }
    },
  };

  const facilitator = new x402Facilitator()
    .register(evm.network, new ExactEvmScheme(signer))
    .register(solana.network, new ExactSvmScheme(svmSigner));
  return { facilitator, feePayer: solanaWallet.address };
}
