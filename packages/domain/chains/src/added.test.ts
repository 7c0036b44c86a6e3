import { afterEach, describe, expect, it } from 'vitest';
import { allCoins, findCoin, findToken, hintForCoin, listedCoins, readCoin, type TokenCoin, tokenCoin, useAddedCoins } from './index.ts';

const ondo = '0xfAbA6f8e4a5E8Ab82F62fe7C39859FA577269BE3';
const token = { symbol: 'ondo', chain: 'ERC20', contract: ondo, decimals: 18 };
const coin = tokenCoin(token, []) as TokenCoin;
afterEach(() => useAddedCoins([]));

describe('a new token', () => {
  it.each([
    [token, 'ONDO-ERC20', 'ethereum'],
    [{ ...token, symbol: 'ONDO-ETH' }, 'ONDO-ERC20', 'ethereum'],
    [{ ...token, chain: 'Arbitrum One' }, 'ONDO-ARBITRUM', 'arbitrum'],
    [{ symbol: 'JST', chain: 'tron', contract: 'TCFLL5dx5ZJdKnWuesXxi1VPwjLVmWZZy9', decimals: 18 }, 'JST-TRC20', 'tron'],
    [{ symbol: 'JUP', chain: 'solana', contract: 'JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN', decimals: 6 }, 'JUP-SOLANA', 'solana'],
    [{ symbol: 'X', chain: 'sui', contract: `0x${'2'.repeat(64)}::x::X`, decimals: 0 }, 'X-SUI', 'sui'],
  ])('%j is %s on %s', (given, symbol, chain) => {
    expect(tokenCoin(given, [])).toMatchObject({ symbol, chain, native: false, decimals: given.decimals });
  });

  it.each([
    [{ chain: 'nowhere' }, 'nowhere is no chain'],
    [{ chain: 'bitcoin', contract: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2' }, 'no contract that Weir can check'],
    [{ contract: ondo.replace('fAbA', 'FabA') }, 'its checksum is wrong'],
    [{ contract: 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t' }, 'is not a contract of ethereum'],
    [{ contract: '0x0000000000000000000000000000000000000000' }, "nobody's address"],
    [{ symbol: 'ONDO-TRC20' }, 'does not end in a name of ethereum'],
    [{ symbol: 'E S' }, 'does not end in'],
    [{ symbol: '' }, 'a symbol has'],
    [{ decimals: 37 }, 'decimals are'],
    [{ decimals: 1.5 }, 'decimals are'],
    [{ symbol: 'USDT' }, 'USDT on ethereum is USDT-ERC20'],
    [{ symbol: 'TETHER', contract: '0xdAC17F958D2ee523a2206206994597C13D831ec7' }, 'that of USDT-ERC20'],
    // Names that a coin of the table has.
    [{ symbol: 'MATIC', chain: 'polygon' }, 'MATIC on polygon is POL'],
    [{ symbol: 'ETH' }, 'ETH on ethereum is ETH'],
  ])('with %j is refused: %s', (over, problem) => {
    expect(tokenCoin({ ...token, ...over }, [])).toMatchObject({ problem: expect.stringContaining(problem) });
  });

  it('is refused beside an added one of its name or contract', () => {
    expect(tokenCoin({ ...token, contract: '0x0bc529c00C6401aEF6D220BE8C6Ea1667F6Ad93e' }, [coin])).toHaveProperty('problem');
    expect(tokenCoin({ ...token, symbol: 'NAMES' }, [coin])).toHaveProperty('problem');
  });
});

describe('an added coin', () => {
  it('is read by each name of its chain, found by its contract, and suggested', () => {
    expect(readCoin('ondo-erc20')).toBeUndefined();
    useAddedCoins([coin]);
    for (const [text, chain] of [
      ['ondo-erc20', null],
      ['ONDO-Ethereum', null],
      ['ondo', 'ethereum'],
    ] as const)
      expect(readCoin(text, chain)).toEqual(coin);
    expect(findToken('ethereum', ondo.toLowerCase())).toEqual(coin);
    expect(hintForCoin('ONDO-ERC2O', null)).toBe('ONDO-ERC20?');
    useAddedCoins([]);
    expect(findCoin('ONDO-ERC20')).toBeUndefined();
  });

  it('never takes a name or a contract of the table, which may have grown since', () => {
    const usdt = findCoin('USDT-ERC20') as TokenCoin;
    useAddedCoins([
      { ...coin, symbol: usdt.symbol },
      { ...coin, contract: usdt.contract },
      { ...coin, symbol: 'BTC-BITCOIN' },
    ]);
    expect(findCoin('USDT-ERC20')).toEqual(usdt);
    expect(findToken('ethereum', usdt.contract)).toEqual(usdt);
    expect(readCoin('BTC-Bitcoin')?.symbol).toBe('BTC');
    expect(allCoins()).toHaveLength(listedCoins.length);
  });
});
