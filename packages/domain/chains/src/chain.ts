/** How a chain writes addresses, transaction ids and memos. `forms/` checks each. */
interface ChainForms {
  readonly address:
    | 'evm'
    | 'tron'
    | 'bitcoin'
    | 'litecoin'
    | 'dogecoin'
    | 'cash'
    | 'solana'
    | 'xrp'
    | 'stellar'
    | 'ton'
    | 'ss58'
    | 'cardano'
    | 'cosmos'
    | 'near'
    | 'aptos'
    | 'sui';
  readonly txid: 'hex' | '0xhex' | 'HEX' | 'base58_32' | 'base58_64' | 'hex_or_base64';
  /** Absent: the chain has none. */
  readonly memo?: 'xrp_tag' | 'stellar_memo' | 'ton_comment' | 'cosmos_memo';
  /** Absent: Weir reads no node of the chain. */
  readonly nodes?: ChainNodes;
  /** Its coins' suffix, and what exchanges, wallets and data sets call it. Upper case, unique over all chains. */
  readonly names: readonly string[];
}

/** Block 0, or where chains have it in common the first that is the chain's own. */
export interface KnownBlock {
  readonly height: number;
  readonly hash: string;
}

/** How nodes of a chain are asked, and how one of another chain or a test network is told. */
export type ChainNodes = {
  /** How many blocks must stand above a block before it is stored. */
  readonly confirmations: number;
} & (
  | {
      readonly api: 'ethereum';
      /** EIP-155. https://chainid.network */
      readonly chainId: number;
    }
  | {
      readonly api: 'bitcoin' | 'tron' | 'solana';
      readonly knownBlock: KnownBlock;
    }
);

const evm = { address: 'evm', txid: '0xhex' } as const;

/** Weir's name of each chain. Those of the EVM come first. */
const table = {
  ethereum: { ...evm, nodes: { api: 'ethereum', chainId: 1, confirmations: 12 }, names: ['ERC20', 'ETH', 'MAINNET'] },
  bsc: {
    ...evm,
    nodes: { api: 'ethereum', chainId: 56, confirmations: 15 },
    names: ['BEP20', 'BNB', 'BINANCE-SMART-CHAIN', 'BNB-SMART-CHAIN', 'SMARTCHAIN'],
  },
  polygon: { ...evm, nodes: { api: 'ethereum', chainId: 137, confirmations: 64 }, names: ['POLYGON', 'MATIC', 'POL', 'POLYGON-POS'] },
  arbitrum: { ...evm, nodes: { api: 'ethereum', chainId: 42_161, confirmations: 20 }, names: ['ARBITRUM', 'ARB', 'ARBI', 'ARBITRUM-ONE'] },
  optimism: { ...evm, nodes: { api: 'ethereum', chainId: 10, confirmations: 20 }, names: ['OPTIMISM', 'OP', 'OPT', 'OP-MAINNET'] },
  base: { ...evm, nodes: { api: 'ethereum', chainId: 8453, confirmations: 20 }, names: ['BASE'] },
  avalanche: {
    ...evm,
    nodes: { api: 'ethereum', chainId: 43_114, confirmations: 12 },
    names: ['AVALANCHE', 'AVAX', 'AVAXC', 'AVALANCHE-C-CHAIN'],
  },
  'ethereum-classic': { ...evm, names: ['ETHEREUM-CLASSIC', 'ETC'] },
  zksync: { ...evm, names: ['ZKSYNC', 'ZKSYNC-ERA', 'AZEC'] },
  linea: { ...evm, names: ['LINEA'] },
  scroll: { ...evm, names: ['SCROLL'] },
  mantle: { ...evm, names: ['MANTLE', 'MNT'] },
  opbnb: { ...evm, names: ['OPBNB'] },
  sonic: { ...evm, names: ['SONIC'] },
  merlin: { ...evm, names: ['MERLIN', 'MERL', 'MERLIN-CHAIN'] },
  hashkey: { ...evm, names: ['HASHKEY', 'HSK', 'HASHKEY-CHAIN'] },
  iotex: { ...evm, names: ['IOTEX', 'IOTX'] },

  tron: {
    address: 'tron',
    txid: 'hex',
    // A block is irreversible once 19 of the 27 super representatives have built on it.
    nodes: {
      api: 'tron',
      knownBlock: { height: 0, hash: '00000000000000001ebf88508a03865c71d452e25f4d51194196a1d22b6653dc' },
      confirmations: 19,
    },
    names: ['TRC20', 'TRX', 'TRON'],
  },
  bitcoin: {
    address: 'bitcoin',
    txid: 'hex',
    nodes: {
      api: 'bitcoin',
      knownBlock: { height: 478_559, hash: '00000000000000000019f112ec0a9982926f1258cdcc558dd7c3b7e5dc7fa148' },
      confirmations: 3,
    },
    names: ['BITCOIN', 'BTC', 'XBT'],
  },
  litecoin: {
    address: 'litecoin',
    txid: 'hex',
    nodes: {
      api: 'bitcoin',
      knownBlock: { height: 0, hash: '12a765e31ffd4059bada1e25190f6e98c99d9714d334efa41a195a7e7e04bfe2' },
      confirmations: 12,
    },
    names: ['LITECOIN', 'LTC'],
  },
  dogecoin: {
    address: 'dogecoin',
    txid: 'hex',
    nodes: {
      api: 'bitcoin',
      knownBlock: { height: 0, hash: '1a91e3dace36e2be3bf030a65679fe821aa1d6ef92e7c9902eb318182c355691' },
      confirmations: 40,
    },
    names: ['DOGECOIN', 'DOGE'],
  },
  'bitcoin-cash': {
    address: 'cash',
    txid: 'hex',
    // Bitcoin SV left it at block 556767, eCash at this one.
    nodes: {
      api: 'bitcoin',
      knownBlock: { height: 661_648, hash: '0000000000000000029e471c41818d24b8b74c911071c4ef0b4a0509f9b5a8ce' },
      confirmations: 10,
    },
    names: ['BITCOIN-CASH', 'BCH'],
  },
  solana: {
    address: 'solana',
    txid: 'base58_64',
    // Its nodes are asked for finalized slots only.
    nodes: { api: 'solana', knownBlock: { height: 0, hash: '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d' }, confirmations: 0 },
    names: ['SOLANA', 'SOL', 'SPL'],
  },
  ripple: { address: 'xrp', txid: 'HEX', memo: 'xrp_tag', names: ['XRP', 'RIPPLE', 'XRPL'] },
  stellar: { address: 'stellar', txid: 'hex', memo: 'stellar_memo', names: ['STELLAR', 'XLM'] },
  ton: { address: 'ton', txid: 'hex_or_base64', memo: 'ton_comment', names: ['TON', 'TONCOIN', 'TONCHAIN'] },
  polkadot: { address: 'ss58', txid: '0xhex', names: ['POLKADOT', 'DOT'] },
  cardano: { address: 'cardano', txid: 'hex', names: ['CARDANO', 'ADA'] },
  cosmos: { address: 'cosmos', txid: 'HEX', memo: 'cosmos_memo', names: ['COSMOS', 'ATOM', 'COSMOS-HUB'] },
  near: { address: 'near', txid: 'base58_32', names: ['NEAR'] },
  aptos: { address: 'aptos', txid: '0xhex', names: ['APTOS', 'APT'] },
  sui: { address: 'sui', txid: 'base58_32', names: ['SUI', 'SUINET'] },
} as const satisfies Readonly<Record<string, ChainForms>>;

export type Chain = keyof typeof table;

export type EvmChain = { [C in Chain]: (typeof table)[C]['address'] extends 'evm' ? C : never }[Chain];

export const chains = Object.freeze(Object.keys(table)) as readonly Chain[];

/** On these chains one key controls the same address. */
export const evmChains: readonly EvmChain[] = Object.freeze(chains.filter(isEvm));

export function formsOf(chain: Chain): ChainForms {
  return table[chain];
}

export function nodesOf(chain: Chain): ChainNodes | undefined {
  return formsOf(chain).nodes;
}

const byName = new Map<string, Chain>(
  chains.flatMap((chain) => [chain.toUpperCase(), ...table[chain].names].map((name) => [name, chain] as const)),
);

/** By Weir's name of the chain or another that is in use, in any case. A coin's name stands for the chain of that coin only. */
export function findChain(name: string): Chain | undefined {
  return byName.get(upperWords(name));
}

/** Upper case, with a hyphen between words. */
export function upperWords(text: string): string {
  return text.toUpperCase().replace(/[\s_:]+/g, '-');
}

/**
 * Where a sanctions label of this chain counts: on all EVM chains, because one key controls them all.
 * A contract may have another owner elsewhere; only sanctions labels accept that error.
 */
export function listedOn(chain: Chain): readonly Chain[] {
  return isEvm(chain) ? evmChains : [chain];
}

export function isEvm(chain: Chain): chain is EvmChain {
  return table[chain].address === 'evm';
}

const withInputs: readonly Chain[] = ['bitcoin', 'litecoin', 'dogecoin', 'bitcoin-cash'];

/** Whether one transaction spends from several addresses, so that who signs together is known. */
export function hasInputs(chain: Chain): boolean {
  return withInputs.includes(chain);
}
