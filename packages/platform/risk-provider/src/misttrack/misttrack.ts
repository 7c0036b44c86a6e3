import { readCoin } from '@weir/chains';
import type { RiskClient } from '@weir/risk-client';
import { noChanges } from '../http-api.ts';
import type { ProviderLimits, RiskProvider } from '../port.ts';
import { specifiedProvider } from '../specified.ts';
import spelling from './spelling.json' with { type: 'json' };

const { coins, suffixes, assets }: { readonly [part in 'coins' | 'suffixes' | 'assets']: Readonly<Record<string, string>> } = spelling;

/** MistTrack, the vendor of the specified API. It has its own names of coins, and no list of changed scores. */
export function misttrackProvider(client: RiskClient, of: { readonly name: string; readonly limits: ProviderLimits }): RiskProvider {
  const provider = specifiedProvider(client, of);
  return {
    ...provider,
    ask: (question, signal) => provider.ask({ ...question, coin: spell(question.coin) }, signal),
    changes: noChanges,
    coins: async (signal) => {
      const answer = await provider.coins(signal);
      return answer.kind === 'coins' ? { kind: 'coins', coins: [...new Set(answer.coins.map(symbolOf))] } : answer;
    },
  };
}

/** `USDT-POLYGON` is `USDT-Polygon` there, and `POL` is `POL-Polygon`. */
function spell(symbol: string): string {
  const own = coins[symbol];
  if (own !== undefined) return own;
  const [asset = '', suffix] = symbol.split('-');
  return suffix === undefined ? symbol : `${assets[asset] ?? asset}-${suffixes[suffix] ?? suffix}`;
}

function symbolOf(coin: string): string {
  return readCoin(coin)?.symbol ?? coin.toUpperCase();
}
