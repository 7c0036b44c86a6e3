import { RiskClient } from '@weir/risk-client';
import { expect, test } from 'vitest';
import { describeRiskProvider } from '../behaviour.ts';
import { misttrackProvider, type Question, type RiskProvider } from '../index.ts';
import { simulateSpecified, type SimulatedApi } from '../testing/index.ts';

const apiKey = 'key-of-misttrack';
let count = 0;

const open = (api: SimulatedApi, timeoutMs: number): RiskProvider =>
  misttrackProvider(new RiskClient({ baseUrl: api.url, apiKey, keyIn: 'spec', timeoutMs }), {
    name: new URL(api.url).host,
    limits: { perSecond: 1, perDay: 10_000 },
  });

function question(coin: string): Question {
  const subject = `0x${String(++count).padStart(40, '0')}`;
  return { chain: 'polygon', coin, subject_type: 'address', subject, direction: 'deposit', facts: {} };
}

describeRiskProvider('MistTrack', async () => {
  const api = await simulateSpecified({ apiKey });
  return {
    api,
    secrets: [apiKey],
    open: ({ timeoutMs }) => open(api, timeoutMs),
    question: ({ unknownCoin = false } = {}) => question(unknownCoin ? 'NOPE' : 'USDT-POLYGON'),
  };
});

test('MistTrack gets coins in its own spelling, and gives them in that of Weir', async () => {
  const coins = ['ETH', 'USDT-ERC20', 'POL-Polygon', 'MATIC-Polygon', 'AVAX-Avalanche', 'stETH-ERC20'];
  const api = await simulateSpecified({ apiKey, coins });
  try {
    const provider = open(api, 5_000);
    const symbols = [
      'USDT-POLYGON',
      'ETH-ARBITRUM',
      'ETH-ZKSYNC',
      'USDT-SOLANA',
      'USDT-TRC20',
      'USDT-ERC20',
      'ETH',
      'BONK-SOLANA',
      'WUSDT-SUI',
      'POL',
      'AVAX',
      'WPOL-POLYGON',
      'STETH-ERC20',
    ];
    for (const coin of symbols) await provider.ask(question(coin));
    expect(api.received.map(({ body }) => JSON.parse(body).coin)).toEqual(
      [
        'USDT-Polygon ETH-Arbitrum ETH-zkSync USDT-Solana USDT-TRC20 USDT-ERC20 ETH Bonk-Solana wUSDT-SUI',
        'POL-Polygon AVAX-Avalanche WMATIC-Polygon stETH-ERC20',
      ].flatMap((line) => line.split(' ')),
    );
    expect(await provider.coins()).toEqual({ kind: 'coins', coins: ['ETH', 'USDT-ERC20', 'POL', 'AVAX', 'STETH-ERC20'] });
  } finally {
    await api.close();
  }
});
