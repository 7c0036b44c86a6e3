import { describe, expect, it } from 'vitest';
import { type Coin, findCoin, hintForAddress, hintForCoin } from './index.ts';

const coin = (symbol: string): Coin => findCoin(symbol) as Coin;

describe('a hint for what is no coin', () => {
  it.each([
    ['USDT', null, 'USDT-ERC20 or USDT-TRC20?'],
    ['usdt', null, 'USDT-ERC20 or USDT-TRC20?'],
    ['USDT', 'tron', 'USDT-TRC20?'],
    ['USDTT', null, 'USDT-ERC20 or USDT-TRC20?'],
    ['USDTT', 'tron', 'USDT-TRC20?'],
    ['USDT', 'nowhere', 'USDT-ERC20 or USDT-TRC20?'],
    ['eth', null, 'ETH?'],
    ['ETH', 'arbitrum', 'ETH-ARBITRUM?'],
    ['ETH', 'solana', 'ETH?'],
    ['ETH-OPTIMISN', null, 'ETH-OPTIMISM?'],
    ['usdt_trc20', null, 'USDT-TRC20?'],
    ['USDT-TRC2O', null, 'USDT-TRC20?'],
    ['USDTERC20', null, 'USDT-ERC20?'],
    ['USTD', null, 'USDT-ERC20 or USDT-TRC20?'],
    ['xpr', null, 'XRP?'],
    ['dgoe', null, 'DOGE or DOGE-BEP20?'],
    ['bitcoin', null, 'BTC?'],
    ['Base', null, 'ETH-BASE?'],
  ])('%s on %s: %s', (text, chain, hint) => {
    expect(hintForCoin(text, chain)).toBe(hint);
  });

  it.each(['', 'XYZ', 'XMR', 'ZEC', '?', 'constructor', 'x'.repeat(1_000)])('there is none for %j', (text) => {
    expect(hintForCoin(text, null)).toBeUndefined();
  });
});

describe('a hint for what is no address of the chain', () => {
  const evm = '0x28C6c06298d514Db089934071355E5743bf21d60';
  const tron = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
  const bitcoin = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
  it.each([
    ['USDT-ERC20', tron, 'USDT-TRC20?'],
    ['USDT-TRC20', evm, 'USDT-ERC20 or USDT-BEP20?'],
    ['USDT-ERC20', bitcoin, 'it is an address of bitcoin, bitcoin-cash'],
    ['LTC', evm, 'it is an address of EVM chains'],
    ['BTC', evm, 'BTC-MERLIN?'],
    ['ETH', ` ${evm}`, 'there are blanks around the address'],
    ['ETH', evm.replace('C6c', 'c6C'), 'its checksum does not match: a character is wrong'],
    ['ETH', '0x12', undefined],
    ['BTC', '', undefined],
  ])('%s, %s: %s', (symbol, text, hint) => {
    expect(hintForAddress(coin(symbol), text)).toBe(hint);
  });
});
