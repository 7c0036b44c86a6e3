import type { Movement, Roles } from '../movements.ts';

const tolerance = 1e-12;
const sweeps = 20_000;

/**
 * Tainted share of what each address received, whatever the time: the least solution of
 * share(a) = Σ received(a from p) · share(p) / received(a), by Gauss and Seidel from 0.
 */
export function untimedHaircut(movements: readonly Movement[], { illicit, services }: Roles): ReadonlyMap<string, number> {
  const share = new Map<string, number>();
  const incomes = [...incomeOf(movements)].filter(([address]) => !illicit.has(address) && !services.has(address));
  const taintOf = (payer: string): number => (illicit.has(payer) ? 1 : (share.get(payer) ?? 0));
  for (let sweep = 0, change = 1; sweep < sweeps && change > tolerance; sweep++) {
    change = 0;
    for (const [address, payers] of incomes) {
      let received = 0;
      let tainted = 0;
      for (const [payer, usd] of payers) {
        received += usd;
        tainted += usd * taintOf(payer);
      }
      const next = tainted / received;
      change = Math.max(change, next - (share.get(address) ?? 0));
      share.set(address, next);
    }
  }
  return share;
}

function incomeOf(movements: readonly Movement[]): Map<string, Map<string, number>> {
  const incomes = new Map<string, Map<string, number>>();
  for (const { from, to, usd } of movements) {
    if (from === to || !(usd > 0)) continue;
    const payers = incomes.get(to) ?? new Map<string, number>();
    incomes.set(to, payers.set(from, (payers.get(from) ?? 0) + usd));
  }
  return incomes;
}
