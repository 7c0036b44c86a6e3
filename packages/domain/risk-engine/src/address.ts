import { assess } from './assess.ts';
import { createLookup, type Lookup } from './attribution/lookup.ts';
import { type Subject, traceAll } from './attribution/trace.ts';
import { type Assessment, unknown } from './result.ts';
import type { Label, RiskStore } from './store.ts';

/** Pass `labels` if already known. */
export async function scoreAddress(
  store: RiskStore,
  chain: string,
  address: string,
  atMs: number,
  labels?: readonly Label[],
): Promise<Assessment> {
  const lookup = createLookup(store, chain, atMs);
  const own = labels ?? (await lookup.labelsOf([address])).get(address) ?? [];
  return (await scoreAll(lookup, [{ address, labels: own }]))[0] ?? unknown;
}

/** Each as if it were scored alone. */
export async function scoreAll(lookup: Lookup, subjects: readonly Subject[]): Promise<Assessment[]> {
  return (await traceAll(lookup, subjects)).map(assess);
}
