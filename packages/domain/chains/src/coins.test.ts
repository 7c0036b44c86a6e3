import { describe, expect, it } from 'vitest';
import { chains, findCoin, listedCoins as coins, parseContract, parseTxid, readCoin } from './index.ts';

describe('coins', () => {
  it('has unique symbols and unique contracts per chain', () => {
    expect(new Set(coins.map((coin) => coin.symbol)).size).toBe(coins.length);
    const contracts = coins.flatMap((coin) => (coin.contract === undefined ? [] : [`${coin.chain} ${coin.contract}`]));
    expect(new Set(contracts).size).toBe(contracts.length);
  });

  it('has exactly one native coin per chain, and a normalised contract for everything else', () => {
    for (const chain of chains)
      expect(
        coins.filter((coin) => coin.chain === chain && coin.native),
        chain,
      ).toHaveLength(1);
    for (const coin of coins.filter((each) => !each.native)) {
      expect(parseContract(coin.chain, coin.contract ?? ''), coin.symbol).toBe(coin.contract);
    }
  });

  it.each([
    ['ETH', 'ethereum', 18],
    ['USDT-ERC20', 'ethereum', 6],
    ['WBTC-ERC20', 'ethereum', 8],
    ['TRX', 'tron', 6],
    ['USDT-TRC20', 'tron', 6],
    ['BTC', 'bitcoin', 8],
    ['USDT-BEP20', 'bsc', 18],
  ])('%s is on %s with %i decimals', (symbol, chain, decimals) => {
    expect(findCoin(symbol)).toMatchObject({ symbol, chain, decimals });
  });

  it.each(['eth', 'USDT', 'ETH ', '', 'constructor', '__proto__'])('no symbol is %j', (symbol) => {
    expect(findCoin(symbol)).toBeUndefined();
  });

  it.each([
    ['eth', null, 'ETH'],
    ['usdt-trc20', null, 'USDT-TRC20'],
    ['USDT-Polygon', null, 'USDT-POLYGON'],
    ['usdt_matic', null, 'USDT-POLYGON'],
    ['ETH-Arbitrum', null, 'ETH-ARBITRUM'],
    ['ETH-Arbitrum One', null, 'ETH-ARBITRUM'],
    ['ETH-zkSync', null, 'ETH-ZKSYNC'],
    ['POL-Polygon', null, 'POL'],
    ['MATIC-Polygon', null, 'POL'],
    ['WMATIC-Polygon', null, 'WPOL-POLYGON'],
    ['matic', null, 'POL'],
    ['Toncoin', null, 'TON'],
    ['AVAX-Avalanche', null, 'AVAX'],
    ['BTC-Bitcoin', null, 'BTC'],
    ['BTC-Merlin', null, 'BTC-MERLIN'],
    ['USDT-TRON', null, 'USDT-TRC20'],
    ['USDT-SOL', null, 'USDT-SOLANA'],
    ['usdt', 'tron', 'USDT-TRC20'],
    ['usdt', 'BEP20', 'USDT-BEP20'],
    ['ETH', 'arbitrum', 'ETH'],
  ])('%s on %s is %s', (text, chain, symbol) => {
    expect(readCoin(text, chain)?.symbol).toBe(symbol);
  });

  it.each([
    ['usdt', null],
    ['USDT', 'nowhere'],
    ['USDT', 'bitcoin'],
    ['ETH ', null],
    ['', null],
    ['constructor', 'ethereum'],
    ['__proto__', null],
  ])('does not guess what %j on %s is', (text, chain) => {
    expect(readCoin(text, chain)).toBeUndefined();
  });

  // Of the coins that the vendor's documents list and its public clients (MistTrackMCP, misttrack-skills) send.
  it.each(
    `ETH USDT-ERC20 USDC-ERC20 WETH-ERC20 BNB-ERC20 UNI-ERC20 BUSD-ERC20 DAI-ERC20 BTC TRX USDT-TRC20 USDC-TRC20 BNB BUSD-BEP20 USDT-BEP20
    WBNB-BEP20 IOTX MATIC-Polygon WMATIC-Polygon WETH-Polygon POL-Polygon AVAX-Avalanche WAVAX-Avalanche ETH-Arbitrum USDT-Arbitrum
    ETH-Optimism USDT-Optimism ETH-Base USDC-Base ETH-zkSync ZK-zkSync BTC-Merlin TON USDT-TON SOL USDT-Solana USDC-Solana LTC DOGE BCH SUI HSK
    PEPE-ERC20 SHIB-ERC20 USDD-TRC20 ETH-BEP20 USDT-Base USDC-SUI wUSDT-SUI Bonk-Solana
    GRT-ERC20 TUSD-ERC20 BAT-ERC20 CRO-ERC20 SUSHI-ERC20 CRV-ERC20 CVX-ERC20 IOTX-ERC20 APE-ERC20 cbBTC-ERC20 FLOKI-ERC20 USDS-ERC20
    USDe-ERC20 USD1-ERC20 WLFI-ERC20 sUSD-ERC20 BTCB-BEP20 DOGE-BEP20 DAI-BEP20 Cake-BEP20 BCH-BEP20 TUSD-BEP20 FDUSD-BEP20 USDC.e-Polygon
    DAI-Polygon WBTC-Polygon AAVE-Polygon LINK-Polygon UNI-Polygon DAI.e-Avalanche USDC.e-Arbitrum WETH-Arbitrum DAI-Arbitrum WBTC-Arbitrum
    LINK-Arbitrum GMX-Arbitrum STG-Arbitrum MAGIC-Arbitrum`.split(/\s+/),
  )('%s is a coin', (text) => expect(readCoin(text)).toBeDefined());

  it('reads no name as two coins', () => {
    for (const { symbol, chain } of coins) expect(readCoin(symbol, chain)?.symbol).toBe(symbol);
  });
});

describe('parseTxid', () => {
  const hash = '9DA15599FDC03724F8110FEEF80A1B51DD4F62288073A45073E75AD44C91CDE2';

  it('asks for 0x on EVM chains and refuses it elsewhere', () => {
    expect(parseTxid('ethereum', `0x${hash}`)).toBe(`0x${hash.toLowerCase()}`);
    expect(parseTxid('ethereum', hash)).toBeUndefined();
    for (const chain of ['tron', 'bitcoin'] as const) {
      expect(parseTxid(chain, hash)).toBe(hash.toLowerCase());
      expect(parseTxid(chain, `0x${hash}`)).toBeUndefined();
    }
  });

  it.each(['', hash.slice(1), `${hash}0`, ` ${hash}`, `${hash}\n`, hash.replace('D', 'G')])('refuses %j', (text) => {
    expect(parseTxid('tron', text)).toBeUndefined();
    expect(parseTxid('base', `0x${text}`)).toBeUndefined();
  });
});
