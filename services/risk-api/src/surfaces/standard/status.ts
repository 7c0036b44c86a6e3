import { allCoins } from '@weir/chains';
import { z } from 'zod';
import { succeeded } from '../../http/envelope.ts';
import type { Description } from '../../http/operation.ts';
import { status, succeededWith } from '../../http/schemas/answers.ts';
import { addition } from './scores.ts';

export const statusPage: Description = {
  name: 'v1_status',
  surface: 'standard',
  method: 'GET',
  path: '/v1/status',
  summary: 'The coins, networks and calls of this API. No key.',
  description: addition,
  keyed: false,
  request: z.object({}),
  answer: succeededWith(status),
  example: {
    request: {},
    answer: succeeded({
      support_api: ['address_labels', 'risk_score', 'status'],
      support_coin: ['ETH', 'USDT-ERC20', 'USDT-TRC20'],
      support_network: ['ethereum', 'tron'],
    }),
  },
  refusals: [],
};

/** `paths`: of the calls that this API answers. */
export function statusOf(paths: readonly string[]): z.output<typeof status> {
  const names = paths.map((path) => path.slice(path.lastIndexOf('/') + 1));
  const coins = allCoins();
  return {
    support_api: [...new Set(names)],
    support_coin: coins.map(({ symbol }) => symbol),
    support_network: [...new Set(coins.map(({ chain }) => chain))],
  };
}
