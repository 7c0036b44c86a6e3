import type { Movement, Roles } from '../movements.ts';

const damping = 0.85;
const tolerance = 1e-12;

/** Personalised PageRank from the illicit addresses along the money, by USD. Services and addresses that pay nobody lead back to the start. */
export function pagerank(movements: readonly Movement[], { illicit, services }: Roles): ReadonlyMap<string, number> {
  const payments = paymentsOf(movements, services);
  const start = [...illicit].filter((address) => payments.has(address));
  let rank = new Map(start.map((address) => [address, 1 / start.length]));
  for (let change = 1; change > tolerance; ) {
    const next = new Map<string, number>();
    let passed = 0;
    for (const [payer, mass] of rank) {
      const payees = payments.get(payer);
      if (payees === undefined) continue;
      passed += damping * mass;
      for (const [payee, share] of payees) next.set(payee, (next.get(payee) ?? 0) + damping * mass * share);
    }
    for (const address of start) next.set(address, (next.get(address) ?? 0) + (1 - passed) / start.length);
    change = 0;
    for (const [address, mass] of next) change = Math.max(change, Math.abs(mass - (rank.get(address) ?? 0)));
    rank = next;
  }
  return rank;
}

/** Shares of what each address paid. */
function paymentsOf(movements: readonly Movement[], services: ReadonlySet<string>): Map<string, Map<string, number>> {
  const payments = new Map<string, Map<string, number>>();
  for (const { from, to, usd } of movements) {
    if (from === to || !(usd > 0) || services.has(from)) continue;
    const payees = payments.get(from) ?? new Map<string, number>();
    payments.set(from, payees.set(to, (payees.get(to) ?? 0) + usd));
  }
  for (const payees of payments.values()) {
    const total = [...payees.values()].reduce((sum, usd) => sum + usd, 0);
    for (const [payee, usd] of payees) payees.set(payee, usd / total);
  }
  return payments;
}
