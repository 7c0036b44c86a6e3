import type { Hex } from 'viem';
import { anvilClient, startEvmChain } from '../support/local-chains/index.ts';
import { openGateway } from '../support/stack/gateway.ts';

/** A local Base, and a node of it that can be away. */
export interface FollowedChain {
  readonly url: string;
  away(): Promise<void>;
  back(): Promise<void>;
  /** In a block with one above it, so that it is confirmed. */
  pay(from: Hex, to: Hex): Promise<void>;
  /** Resolves with what takes back all blocks since, for longer ones without their payments. */
  fork(): Promise<() => Promise<void>>;
  close(): Promise<void>;
}

const ether = 10n ** 18n;

export async function startFollowedChain(): Promise<FollowedChain> {
  const evm = await startEvmChain();
  const client = anvilClient(evm);
  const node = await openGateway(() => ({ host: '127.0.0.1', port: Number(new URL(evm.url).port) }));
  return {
    url: `http://127.0.0.1:${node.port}`,
    away: () => node.away(),
    back: () => node.back(),
    pay: async (from, to) => {
      await client.setBalance({ address: from, value: 100n * ether });
      await client.impersonateAccount({ address: from });
      const hash = await client.sendTransaction({ account: from, to, value: ether, chain: evm.chain });
      await client.waitForTransactionReceipt({ hash });
      await client.mine({ blocks: 1 });
    },
    fork: async () => {
      const id = await client.snapshot();
      return async () => {
        await client.revert({ id });
        await client.increaseTime({ seconds: 5 });
        await client.mine({ blocks: 5 });
      };
    },
    close: async () => {
      await node.close();
      await evm.close();
    },
  };
}
