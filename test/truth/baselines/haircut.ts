import { inTimeOrder, type Movement, type Roles } from '../movements.ts';

interface Pool {
  balance: number;
  tainted: number;
  received: number;
  taintedReceived: number;
}

/** Tainted share of what each address received, in time order. A payment takes as much taint as the payer's balance has at that time. */
export function haircut(movements: readonly Movement[], { illicit, services }: Roles): ReadonlyMap<string, number> {
  const pools = new Map<string, Pool>();
  for (const { from, to, usd } of inTimeOrder(movements)) {
    const payer = pools.get(from);
    let tainted = illicit.has(from) ? usd : 0;
    if (payer !== undefined && payer.balance > 0) {
      // Money that no transfer brought is clean.
      const part = Math.min(usd / payer.balance, 1);
      tainted = part * payer.tainted;
      payer.balance -= part * payer.balance;
      payer.tainted -= tainted;
    }
    if (illicit.has(to) || services.has(to)) continue;
    const payee = pools.get(to) ?? { balance: 0, tainted: 0, received: 0, taintedReceived: 0 };
    payee.balance += usd;
    payee.tainted += tainted;
    payee.received += usd;
    payee.taintedReceived += tainted;
    pools.set(to, payee);
  }
  return new Map([...pools].map(([address, { received, taintedReceived }]) => [address, taintedReceived / received]));
}
