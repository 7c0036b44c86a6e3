import { describe, expect, it } from 'vitest';
import { chains, coins, findCoin, parseAddress, parseTxid } from './index.ts';

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
      expect(parseAddress(coin.chain, coin.contract ?? ''), coin.symbol).toBe(coin.contract);
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

  it.each(['eth', 'USDT', 'ETH ', '', 'constructor', '__proto__'])('does not know %j', (symbol) => {
    expect(findCoin(symbol)).toBeUndefined();
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
