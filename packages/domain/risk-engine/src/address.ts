import { assessAddress, type ScoreOptions } from './assess.ts';
import { createLookup } from './attribution/lookup.ts';
import type { Assessment } from './result.ts';
import type { RiskStore } from './store.ts';

/** The worse side is the score, beside the address's own labels. */
export async function scoreAddress(
  store: RiskStore,
  chain: string,
  address: string,
  atMs: number,
  options: ScoreOptions = {},
): Promise<Assessment> {
  const lookup = createLookup(store, chain, atMs);
  const labels = (await lookup.labelsOf([address])).get(address) ?? [];
  return assessAddress(lookup, { address, labels, contradictions: lookup.contradictionsOf(address) }, options);
}
