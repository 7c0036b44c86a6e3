import { RiskClient } from '@weir/risk-client';
import { describeRiskProvider } from './behaviour.ts';
import { specifiedProvider } from './index.ts';
import { simulateSpecified } from './testing/specified.ts';

const apiKey = 'key-of-the-specified-api';
let count = 0;

describeRiskProvider('the specified API', async () => {
  const api = await simulateSpecified({ apiKey });
  return {
    api,
    secrets: [apiKey],
    open: ({ timeoutMs }) =>
      specifiedProvider(new RiskClient({ baseUrl: api.url, apiKey, keyIn: 'spec', timeoutMs }), {
        name: new URL(api.url).host,
        limits: { perSecond: 10, perDay: 10_000 },
      }),
    question: ({ unknownCoin = false } = {}) => ({
      chain: 'ethereum',
      coin: unknownCoin ? 'NOPE' : 'ETH',
      subject_type: 'address',
      subject: `0x${String(++count).padStart(40, '0')}`,
      direction: 'deposit',
      facts: {},
    }),
  };
});
