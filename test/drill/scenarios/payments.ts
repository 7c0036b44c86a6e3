import { evmNetwork, evmPayer } from '../../pay/world.ts';
import { pay, send } from '../../pay/raw.ts';
import { newEvmWallet, startEvmChain, startFacilitator, startSolanaChain } from '../../support/local-chains/index.ts';
import { minute, type Scenario } from '../scenario.ts';
import { startService } from '../service.ts';

export const lostSettlement: Scenario = {
  name: 'the facilitator verifies a payment and does not settle it',
  alerts: { WeirPaymentsUnclear: 10 * minute },
  breakIt: async (world, own) => {
    const evm = await startEvmChain();
    own.atEnd(() => evm.close());
    const solana = await startSolanaChain();
    own.atEnd(() => solana.close());
    const facilitator = await startFacilitator({ evm, solana });
    own.atEnd(() => facilitator.close());
    Object.assign(own.env, {
      WEIR_X402_PAY_TO_EVM: newEvmWallet().address,
      WEIR_X402_FACILITATOR_URL: facilitator.url,
      WEIR_X402_EVM_RPC_URL: evm.url,
      WEIR_X402_EVM_FINALITY: '0',
    });
    const { url } = await startService(world, own, 'risk-api', own.env);
    const payer = { ...evmPayer(), network: evmNetwork } as const;
    await evm.fund(payer.address, 1_000_000n);
    const asked = { path: `/x402/address_labels?coin=ETH&address=${payer.address}` };
    const payment = await pay(url, asked, payer);
    facilitator.fault('settle', { kind: 'drop', at: 'before' }, Number.POSITIVE_INFINITY);
    const { status } = await send(url, asked, payment);
    if (status !== 503) throw new Error(`a payment without a settlement was answered with ${status}`);
    return async () => {
      facilitator.clear();
      const { code, said } = await world.weir(['payments', 'reconcile'], own.env);
      if (code !== 0) throw new Error(`weir payments reconcile ended with ${code}: ${said}`);
    };
  },
};
