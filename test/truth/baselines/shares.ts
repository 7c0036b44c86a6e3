import { fifo as fifoMethod, haircut as haircutMethod, ledgerOf, poison as poisonMethod, type TraceMethod } from '@weir/risk-engine';
import { inTimeOrder, type Movement, type Roles } from '../movements.ts';

type Shares = (movements: readonly Movement[], roles: Roles) => ReadonlyMap<string, number>;

/** Traced shares of what each address received, in the order of time. */
export const haircut: Shares = (movements, roles) => sharesBy(haircutMethod, movements, roles);
export const fifo: Shares = (movements, roles) => sharesBy(fifoMethod, movements, roles);

/** 1 for each address that illicit money has reached in time order, however little of it. */
export const poison: Shares = (movements, roles) =>
  new Map([...sharesBy(poisonMethod, movements, roles)].filter(([, share]) => share > 0).map(([address]) => [address, 1]));

function sharesBy(method: TraceMethod, movements: readonly Movement[], { illicit, services }: Roles): Map<string, number> {
  const isEnd = (address: string): boolean => illicit.has(address) || services.has(address);
  const payments = inTimeOrder(movements).map(({ from, to, usd }) => ({ from, to, value: usd }));
  const { carried } = method(ledgerOf(payments, isEnd), {
    direction: 'forward',
    isStart: (index) => illicit.has(payments[index]?.from ?? ''),
  });
  const sums = new Map<string, { traced: number; received: number }>();
  for (const [index, { to, value }] of payments.entries()) {
    if (isEnd(to)) continue;
    const sum = sums.get(to) ?? { traced: 0, received: 0 };
    sum.traced += carried[index]?.value ?? 0;
    sum.received += value;
    sums.set(to, sum);
  }
  return new Map([...sums].map(([address, { traced, received }]) => [address, traced / received]));
}
