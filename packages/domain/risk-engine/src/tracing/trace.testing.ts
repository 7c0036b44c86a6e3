import { label, type Named, rowsOf } from '../graph.testing.ts';
import { moves, type Row } from '../movement.testing.ts';
import type { Movement } from '../store.ts';
import { memoryStore } from '../testing.ts';
import type { MoneyTrace } from './result.ts';
import { type TraceOptions, traceMoney } from './trace.ts';

const labels: Named = {
  thief: label('theft', 'LIFI exploiter'),
  partner: label('theft', 'LIFI exploiter 2'),
  listed: label('sanctioned', 'Listed person'),
  exchange: label('exchange', 'Binance'),
  exchange2: label('exchange', 'Binance'),
  mixer: label('mixer', 'Tornado.Cash'),
  router: label('defi', 'Uniswap'),
  weth: label('token', 'WETH'),
};

export function trace(movements: readonly Movement[], subject: string, options: Partial<TraceOptions> = {}): Promise<MoneyTrace> {
  return traceMoney(memoryStore(rowsOf(movements, labels)), 'c', subject, 0, { direction: 'forward', ...options });
}

export const ofRows = (rows: readonly Row[], subject: string, options: Partial<TraceOptions> = {}): Promise<MoneyTrace> =>
  trace(moves(rows), subject, options);
