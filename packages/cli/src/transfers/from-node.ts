import { type Chain, isEvm } from '@weir/chains';
import { findRange, findTraceMethod, type Node, NodeError, openNode, readRange } from '@weir/chain-import';
import { UsageError } from '../failure.ts';
import { note } from '../output.ts';
import { rejectedFileOf } from '../import/import-each.ts';
import type { ImportFlags } from '../import/flags.ts';
import type { Unpriced } from './import.ts';

export interface NodeFlags extends ImportFlags {
  readonly chain?: Chain;
  readonly url?: string;
  readonly fromBlock?: number;
  readonly toBlock?: number;
  readonly unfinal?: true;
  /** False for `--no-traces`. */
  readonly traces?: boolean;
}

/** Checks the flags before any work. */
export function checkNode({ chain, url, fromBlock }: NodeFlags): void {
  if (url === undefined || fromBlock === undefined) throw new UsageError('--format rpc needs --url and --from-block');
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) throw new UsageError('--url must begin with http:// or https://');
  if (chain !== undefined && !isEvm(chain))
    throw new UsageError(`--format rpc is for nodes with Ethereum's JSON-RPC, which ${chain} has not`);
}

/** The blocks of a node. Its URL does not identify the import: another node of the same chain continues it. */
export async function blocksSource(flags: NodeFlags, source: string, signal: AbortSignal): Promise<Unpriced> {
  const { chain, url = '', fromBlock = 0, toBlock, unfinal } = flags;
  if (chain === undefined) throw new UsageError('--format rpc needs --chain');
  const node = await openNode(url, { signal });
  const scope = { chain, source };
  const range = await findRange(node, scope, fromBlock, toBlock, unfinal);
  // The range identifies the import, so another end would start another import.
  if (toBlock === undefined) note(`Reading up to block ${range.to}. To go on with this import name it: --to-block ${range.to}`);
  const traces = flags.traces === false ? undefined : await tracesOf(node, range.from);
  const name = `${chain} ${range.from}-${range.to}`;
  return {
    identity: { kind: 'transfers', format: 'rpc', chain, source, ...range, traces: traces !== undefined },
    name,
    rejectedFile: rejectedFileOf(name.replaceAll(' ', '-'), flags),
    read: readRange(node, scope, range, traces),
  };
}

/** Decided once: no block of an import lacks what another has. Traces of the first block of a chain cannot be made. */
async function tracesOf(node: Node, fromBlock: number): ReturnType<typeof findTraceMethod> {
  try {
    const method = await findTraceMethod(node, Math.max(fromBlock, 1));
    if (method === undefined)
      note('The node has neither trace_block nor debug_traceBlockByNumber: payments of contracts within a transaction are missing.');
    return method;
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    throw new NodeError(`${error.message}; --no-traces imports without payments of contracts`, { cause: error });
  }
}
