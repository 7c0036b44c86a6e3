import type { RiskClient } from '@weir/risk-client';
import { noChanges } from '../http-api.ts';
import type { ProviderLimits, RiskProvider } from '../port.ts';
import { specifiedProvider } from '../specified.ts';
import spelling from './spelling.json' with { type: 'json' };

const { suffixes, assets }: { readonly [part in 'suffixes' | 'assets']: Readonly<Record<string, string>> } = spelling;

/** MistTrack, the vendor of the specified API. It spells coins in its own case, and has no list of changed scores. */
export function misttrackProvider(client: RiskClient, of: { readonly name: string; readonly limits: ProviderLimits }): RiskProvider {
  const provider = specifiedProvider(client, of);
  return {
    ...provider,
    ask: (question, signal) => provider.ask({ ...question, coin: spell(question.coin) }, signal),
    changes: noChanges,
    coins: async (signal) => {
      const answer = await provider.coins(signal);
      return answer.kind === 'coins' ? { kind: 'coins', coins: answer.coins.map((coin) => coin.toUpperCase()) } : answer;
    },
  };
}

/** `USDT-POLYGON` is `USDT-Polygon` there. */
function spell(symbol: string): string {
  const [asset = '', suffix] = symbol.split('-');
  return suffix === undefined ? symbol : `${assets[asset] ?? asset}-${suffixes[suffix] ?? suffix}`;
}
