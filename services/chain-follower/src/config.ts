import { type Chain, chains, nodesOf } from '@weir/chains';
import type { Schema } from '@weir/service-kit';
import { subscribable } from './new-heads.ts';

export interface FollowerSettings {
  chainNodes: string;
  chainFirstBlocks: string;
  chainConfirmations: string;
  chainPollMs: number;
  chainTraces: boolean;
  chainHeads: string;
  priceSource: string;
  pricesEveryMs: number;
  pricesMaxAgeMs: number;
  nodeTimeoutMs: number;
  nodeRequestsPerSecond: number;
}

/** A chain to follow. */
export interface FollowPlan {
  readonly chain: Chain;
  readonly urls: readonly string[];
  /** Undefined: the newest confirmed block at the first start. */
  readonly firstBlock: number | undefined;
  readonly confirmations: number;
}

const followable = chains.filter((chain) => nodesOf(chain) !== undefined);

/** `CHAIN=VALUE` with commas; a chain may come several times. */
function entriesOf(text: string): [Chain, string][] {
  const parts = text.split(/[\s,]+/).filter((part) => part !== '');
  return parts.map((part) => {
    const at = part.indexOf('=');
    const chain = followable.find((name) => name === part.slice(0, Math.max(at, 0)));
    // The value may be a secret.
    if (chain === undefined) throw new Error(`must be CHAIN=VALUE with commas, CHAIN one of ${followable.join(', ')}`);
    return [chain, part.slice(at + 1)];
  });
}

function checkUrls(text: unknown): void {
  const entries = entriesOf(String(text));
  for (const [chain, url] of entries)
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) throw new Error(`a node of ${chain} is no URL with http or https`);
  if (new Set(entries.map(([chain, url]) => `${chain} ${url}`)).size < entries.length) throw new Error('names a node twice');
}

function checkHeads(text: unknown): void {
  for (const [chain, url] of entriesOf(String(text))) {
    if (!subscribable(chain)) throw new Error(`has ${chain}, whose nodes tell of no new blocks`);
    if (!URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol)) throw new Error(`an address of ${chain} is no URL with ws or wss`);
  }
}

function checkPriceSource(text: unknown): void {
  const source = String(text);
  if (/^https?:/i.test(source) && !URL.canParse(source)) throw new Error('must be a file or a URL with http or https');
}

function checkNumbers(text: unknown): void {
  const entries = entriesOf(String(text));
  for (const [chain, number] of entries) if (!/^\d{1,12}$/.test(number)) throw new Error(`must have a whole number for ${chain}`);
  if (new Set(entries.map(([chain]) => chain)).size < entries.length) throw new Error('names a chain twice');
}

/** Addresses of WebSockets that tell of new blocks, by chain. */
export function headsOf({ chainHeads }: Pick<FollowerSettings, 'chainHeads'>, chain: Chain): string[] {
  return entriesOf(chainHeads).flatMap(([of, url]) => (of === chain ? [url] : []));
}

/** Of checked settings. */
export function followPlans(settings: Pick<FollowerSettings, 'chainNodes' | 'chainFirstBlocks' | 'chainConfirmations'>): FollowPlan[] {
  const numbers = (text: string): Map<Chain, number> => new Map(entriesOf(text).map(([chain, number]) => [chain, Number(number)]));
  const [first, confirmations] = [numbers(settings.chainFirstBlocks), numbers(settings.chainConfirmations)];
  return [...Map.groupBy(entriesOf(settings.chainNodes), ([chain]) => chain)].map(([chain, nodes]) => ({
    chain,
    urls: nodes.map(([, url]) => url),
    firstBlock: first.get(chain),
    confirmations: confirmations.get(chain) ?? nodesOf(chain)?.confirmations ?? 0,
  }));
}

export const chainFollowerSchema: Schema<FollowerSettings> = {
  chainNodes: {
    doc: `Nodes of the chains to follow, CHAIN=URL with commas, several of one chain as several entries: ${followable.join(', ')}. Empty: no chain is followed`,
    format: checkUrls,
    default: '',
    env: 'WEIR_CHAIN_NODES',
    sensitive: true,
  },
  chainFirstBlocks: {
    doc: 'Block at which following a chain begins, CHAIN=HEIGHT with commas; without one, the newest confirmed block. Counts at the first start for the chain',
    format: checkNumbers,
    default: '',
    env: 'WEIR_CHAIN_FIRST_BLOCKS',
  },
  chainConfirmations: {
    doc: 'How many blocks must stand above a block before it is stored, CHAIN=NUMBER with commas; without one, the number in the table of chains',
    format: checkNumbers,
    default: '',
    env: 'WEIR_CHAIN_CONFIRMATIONS',
  },
  chainPollMs: {
    doc: 'How often the nodes of a followed chain are asked for new blocks',
    format: 'positive-int',
    default: 4_000,
    env: 'WEIR_CHAIN_POLL_MS',
  },
  chainHeads: {
    doc: 'WebSockets of nodes that tell of new blocks at once, CHAIN=URL with commas: EVM chains and solana. The nodes of WEIR_CHAIN_NODES are asked then, and every WEIR_CHAIN_POLL_MS as well',
    format: checkHeads,
    default: '',
    env: 'WEIR_CHAIN_HEADS',
    sensitive: true,
  },
  priceSource: {
    doc: 'Price table for followed transfers: a file, or a URL with http or https, with the columns coin, date and usd, by day or by hour. Empty: followed transfers have no value of their own',
    format: checkPriceSource,
    default: '',
    env: 'WEIR_PRICE_SOURCE',
    sensitive: true,
  },
  pricesEveryMs: {
    doc: 'How often the price table is read again, if it has changed',
    format: 'positive-int',
    default: 600_000,
    env: 'WEIR_PRICES_EVERY_MS',
  },
  pricesMaxAgeMs: {
    doc: 'Age of the newest price from which the prices are stale, which readyz says. A table by day has no price of today',
    format: 'positive-int',
    default: 172_800_000,
    env: 'WEIR_PRICES_MAX_AGE_MS',
  },
  chainTraces: {
    doc: 'Whether payments of contracts within a transaction are read from nodes that have trace_block or debug_traceBlockByNumber; false for nodes that refuse them',
    format: Boolean,
    default: true,
    env: 'WEIR_CHAIN_TRACES',
  },
  nodeTimeoutMs: {
    doc: 'How long a node of a followed chain may take for one answer; then another node is asked',
    format: 'positive-int',
    default: 10_000,
    env: 'WEIR_NODE_TIMEOUT_MS',
  },
  nodeRequestsPerSecond: {
    doc: 'Requests a second to each node of a followed chain, at most 10000',
    format: (value: unknown) => {
      if (!Number.isSafeInteger(value) || (value as number) < 1 || (value as number) > 10_000)
        throw new Error('must be a whole number from 1 to 10000');
    },
    default: 25,
    env: 'WEIR_NODE_REQUESTS_PER_SECOND',
  },
};
