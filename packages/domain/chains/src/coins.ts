import { parseContract } from './address.ts';
import { type Chain, findChain, formsOf, upperWords } from './chain.ts';
import { assetOf, type Coin } from './coin.ts';
import table from './coins.json' with { type: 'json' };

const former: Readonly<Record<string, readonly string[] | undefined>> = table.former;

interface Row {
  readonly symbol: string;
  readonly decimals: number;
  readonly contract?: string;
}

/** EIP-55 form in the table, so that a typing error fails at start. */
function coinOf(chain: Chain, { symbol, decimals, contract }: Row): Coin {
  if (contract === undefined) return Object.freeze({ symbol, chain, native: true, decimals });
  const normalised = parseContract(chain, contract);
  if (normalised === undefined) throw new TypeError(`contract of ${symbol} fails its checksum`);
  return Object.freeze({ symbol, chain, native: false, decimals, contract: normalised });
}

/** Weir's own table. */
export const listedCoins: readonly Coin[] = Object.freeze(
  (Object.keys(table.coins) as (keyof typeof table.coins)[]).flatMap((chain) => table.coins[chain].map((row: Row) => coinOf(chain, row))),
);

/** `USDT-TRON`, `POL-POLYGON`: the asset with any name of its chain; and names that an asset had before or has elsewhere. */
function aliasesOf(coin: Coin): readonly string[] {
  const assets = [assetOf(coin.symbol), ...(former[coin.symbol] ?? [])];
  const suffixed = assets.flatMap((asset) =>
    formsOf(coin.chain)
      .names.concat(coin.chain.toUpperCase())
      .map((name) => `${asset}-${name}`),
  );
  return coin.native ? [...suffixed, ...assets.slice(1)] : suffixed;
}

function contractKey({ chain, contract }: { chain: Chain; contract?: string }): string {
  return `${chain} ${contract}`;
}

const listedNames: ReadonlySet<string> = new Set(listedCoins.flatMap((coin) => [coin.symbol, ...aliasesOf(coin)]));
const listedContracts: ReadonlySet<string> = new Set(listedCoins.flatMap((coin) => (coin.native ? [] : [contractKey(coin)])));

/** Those of the table, and those added to this installation. A name or contract of the table's keeps its meaning, whatever was added before. */
export class Coins {
  readonly all: readonly Coin[];
  readonly bySymbol: ReadonlyMap<string, Coin>;
  readonly byContract: ReadonlyMap<string, Coin>;
  readonly byAlias: ReadonlyMap<string, Coin>;

  constructor(added: readonly Coin[]) {
    const apart = added.filter((coin) => !listedNames.has(coin.symbol) && !listedContracts.has(contractKey(coin)));
    this.all = Object.freeze([...listedCoins, ...apart]);
    this.bySymbol = new Map(this.all.map((coin) => [coin.symbol, coin]));
    this.byContract = new Map(this.all.flatMap((coin) => (coin.contract === undefined ? [] : [[contractKey(coin), coin]])));
    this.byAlias = new Map(this.all.toReversed().flatMap((coin) => aliasesOf(coin).map((alias) => [alias, coin])));
  }

  read(text: string, chain: string | null): Coin | undefined {
    const symbol = upperWords(text);
    const coin = this.bySymbol.get(symbol) ?? this.byAlias.get(symbol);
    if (coin !== undefined || chain === null) return coin;
    const on = findChain(chain);
    return on === undefined ? undefined : this.all.find((one) => one.chain === on && assetOf(one.symbol) === symbol);
  }

  token(chain: Chain, contract: string): Coin | undefined {
    return this.byContract.get(contractKey({ chain, contract }));
  }
}

let known = new Coins([]);

/** Replaces the coins added to this installation, for the whole process. */
export function useAddedCoins(added: readonly Coin[]): void {
  known = new Coins(added);
}

export function allCoins(): readonly Coin[] {
  return known.all;
}

/** By the symbol itself, as stored data has it. */
export function findCoin(symbol: string): Coin | undefined {
  return known.bySymbol.get(symbol);
}

/**
 * A coin as people and programs write it: in any case, and with any name of its chain (`usdt-polygon`, `ETH-Arbitrum One`). An asset of
 * several chains (`usdt`) needs `chain`: an address does not tell the chains of the EVM apart.
 */
export function readCoin(text: string, chain: string | null = null): Coin | undefined {
  return known.read(text, chain);
}

/** By a normalised contract. */
export function findToken(chain: Chain, contract: string): Coin | undefined {
  return known.token(chain, contract);
}

const natives = new Map(listedCoins.filter(({ native }) => native).map((coin) => [coin.chain, coin]));

export function nativeCoin(chain: Chain): Coin {
  const coin = natives.get(chain);
  if (coin === undefined) throw new TypeError(`${chain} has no native coin`);
  return coin;
}
