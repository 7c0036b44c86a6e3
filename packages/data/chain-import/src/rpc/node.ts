import type { Chain } from '@weir/chains';
import { systemClock, within } from '@weir/clock';
import { importOptional, optionalPackages } from '../optional-package.ts';

/** A node that cannot be asked, or whose answer cannot be used. The message never holds the address of the node, which may be a secret. */
export class NodeError extends Error {
  readonly code = 'NODE';
  readonly retriable = false;
}

/** What we ask of a node. `undefined`: it does not know the method. */
export interface Node {
  ask(method: string, params: readonly unknown[]): Promise<unknown>;
}

export interface NodeOptions {
  readonly signal?: AbortSignal;
  /** For one answer. A block with all its receipts has some megabytes. */
  readonly timeoutMs?: number;
  /** After the first attempt; each waits twice as long as the one before. */
  readonly retries?: number;
  readonly retryDelayMs?: number;
}

/** JSON-RPC's "method not found", and what nodes say that know a method and do not offer it. */
const unknownMethod = new Set([-32_601, -32_004]);

/** A node's JSON-RPC over HTTP. An answer that does not come, an error of the server and a limit that is met are tried again. */
export async function openNode(url: string, { signal, timeoutMs = 30_000, retries = 5, retryDelayMs = 250 }: NodeOptions): Promise<Node> {
  // Loaded here, for it is large and only a node needs it.
  const { http, BaseError } = await importOptional('a node', optionalPackages.node, () => import('viem'));
  const limitMs = (retries + 1) * timeoutMs;
  const fetchOptions = { redirect: 'error', ...(signal === undefined ? {} : { signal }) } as const;
  const { request } = http(url, { timeout: timeoutMs, retryCount: retries, retryDelay: retryDelayMs, fetchOptions })({
    retryCount: retries,
  });
  return {
    ask: async (method, params) => {
      try {
        return await atMost(request({ method, params }), limitMs, signal);
      } catch (error) {
        if (unknownMethod.has((error as { code?: number }).code ?? 0)) return undefined;
        if (error instanceof NodeError) throw error;
        const said = error instanceof BaseError ? withoutAddresses(`${error.shortMessage} ${error.details ?? ''}`) : 'failed';
        throw new NodeError(`the node does not answer ${method}: ${said}`, { cause: error });
      }
    },
  };
}

/** Nobody who has asked to stop waits for a slow node, and a node that asks to be left alone for long is not waited for either. */
function atMost<T>(answer: Promise<T>, limitMs: number, signal: AbortSignal | undefined): Promise<T> {
  const late = (): never => {
    throw new NodeError(signal?.aborted === true ? 'stopped' : `the node gives no answer in ${Math.ceil(limitMs / 1_000)} s`);
  };
  return within(systemClock, limitMs, answer, { late, signal });
}

function withoutAddresses(text: string): string {
  const line = text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/\b\w+:\/\/\S+/g, '…')
    .trim();
  return line.slice(0, 300).toWellFormed();
}

/** Chain ids as EIP-155 has them: a node of another chain must not fill this one. https://chainid.network */
const chainIds: Readonly<Partial<Record<Chain, number>>> = {
  ethereum: 1,
  optimism: 10,
  bsc: 56,
  polygon: 137,
  base: 8453,
  arbitrum: 42_161,
  avalanche: 43_114,
};

/** Throws unless it is a node of this chain. */
export async function checkChain(node: Node, chain: Chain): Promise<void> {
  const wanted = chainIds[chain];
  if (wanted === undefined) throw new NodeError(`${chain} has no nodes with Ethereum's JSON-RPC`);
  const id = quantity(await node.ask('eth_chainId', []), 'the chain id');
  if (Number(id) !== wanted) throw new NodeError(`the node is one of chain ${id}, not of ${chain} (${wanted})`);
}

/** A number in the hex form of JSON-RPC. */
export function quantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw new NodeError(`the node gives no number for ${what}`);
  return BigInt(value);
}

/** The height up to which a node takes its chain for final, or the newest block. */
export async function heightOf(node: Node, tag: 'finalized' | 'latest'): Promise<number> {
  const block = await node.ask('eth_getBlockByNumber', [tag, false]);
  const { number } = (block ?? {}) as { number?: unknown };
  if (number === undefined) throw new NodeError(`the node does not say which block is ${tag}`);
  return Number(quantity(number, 'the height'));
}
