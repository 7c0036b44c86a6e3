import { type Chain, nodesOf } from '@weir/chains';
import { systemClock, within } from '@weir/clock';
import { importOptional, optionalPackages } from '@weir/optional-packages';

/** The node is unreachable or its answer unusable. The message omits the node's address, which may be a secret. */
export class NodeError extends Error {
  readonly code = 'NODE';
  readonly retriable = false;
}

/** `undefined`: the node does not know the method. */
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

/** JSON-RPC's "method not found", and the code of nodes that know a method but do not offer it. */
const unknownMethod = new Set([-32_601, -32_004]);

/** A node's JSON-RPC over HTTP. Retries timeouts, server errors and rate limits. */
export async function openNode(url: string, { signal, timeoutMs = 30_000, retries = 5, retryDelayMs = 250 }: NodeOptions): Promise<Node> {
  // Imported here, because it is large and only nodes need it.
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

/** A stop does not wait for a slow node, and a long Retry-After does not delay the import. */
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

/** Throws unless the node serves this chain. */
export async function checkChain(node: Node, chain: Chain): Promise<void> {
  const nodes = nodesOf(chain);
  if (nodes?.api !== 'ethereum') throw new NodeError(`${chain} has no nodes with Ethereum's JSON-RPC`);
  const id = quantity(await node.ask('eth_chainId', []), 'the chain id');
  if (Number(id) !== nodes.chainId) throw new NodeError(`the node is one of chain ${id}, not of ${chain} (${nodes.chainId})`);
}

/** Parses JSON-RPC's hex quantity. */
export function quantity(value: unknown, what: string): bigint {
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]{1,64}$/.test(value)) throw new NodeError(`the node gives no number for ${what}`);
  return BigInt(value);
}

/** The node's finalized or newest height. */
export async function heightOf(node: Node, tag: 'finalized' | 'latest'): Promise<number> {
  const block = await node.ask('eth_getBlockByNumber', [tag, false]);
  const { number } = (block ?? {}) as { number?: unknown };
  if (number === undefined) throw new NodeError(`the node does not say which block is ${tag}`);
  return Number(quantity(number, 'the height'));
}

/** The hash of the node's block at that height; undefined: it has none there. */
export async function hashAt(node: Node, height: number): Promise<string | undefined> {
  const block = await node.ask('eth_getBlockByNumber', [`0x${height.toString(16)}`, false]);
  if (block === null || block === undefined) return undefined;
  const { hash } = block as { hash?: unknown };
  if (typeof hash !== 'string') throw new NodeError(`the node gives no hash of block ${height}`);
  return hash;
}
