import { combine, levelOf } from './combine.ts';
import { type DirectExposures, directExposures } from './exposures.ts';
import { isService, isTheft, ownDetails, ownFindings, worstFirst } from './labels.ts';
import { type Assessment, type Coverage, orderDetails, unknown } from './result.ts';
import type { Counterparties, Label, RiskStore } from './store.ts';

/** All that is known of one address. */
export interface AddressFacts {
  readonly labels: readonly Label[];
  readonly counterparties: Counterparties;
  /** Labels of the counterparties. */
  readonly counterpartyLabels: ReadonlyMap<string, readonly Label[]>;
}

const nothing: DirectExposures = Object.freeze({ exposures: [], findings: [], details: [], hackingEvent: '' });

/** Scores an address from its labels and its direct counterparties. Pure. */
export function assess(facts: AddressFacts): Assessment {
  const { labels, counterparties, counterpartyLabels } = facts;
  if (labels.length === 0 && counterparties.total.transfers === 0) return unknown;
  const own = worstFirst(labels);
  const direct = isService(own) ? nothing : directExposures(counterparties, counterpartyLabels);
  const { score, contributions } = combine([...ownFindings(own), ...direct.findings]);
  return {
    score,
    level: levelOf(score),
    detailList: orderDetails([...ownDetails(own), ...direct.details]),
    exposures: direct.exposures,
    hackingEvent: own.find(isTheft)?.name ?? direct.hackingEvent,
    addressLabel: own[0]?.name ?? '',
    contributions,
    coverage: coverageOf(labels.length > 0, counterparties.total.transfers > 0),
  };
}

/** Fetches the facts and scores them. `labels` may be given when they are at hand. */
export async function scoreAddress(
  store: RiskStore,
  chain: string,
  address: string,
  atMs: number,
  labels?: readonly Label[],
): Promise<Assessment> {
  const own = labels ?? (await store.labelsOf(chain, [address], atMs)).get(address) ?? [];
  const counterparties = await store.counterparties(chain, address, atMs);
  const others = isService(own) ? [] : [...new Set(counterparties.items.map((item) => item.address))];
  const counterpartyLabels = others.length === 0 ? new Map<string, readonly Label[]>() : await store.labelsOf(chain, others, atMs);
  return assess({ labels: own, counterparties, counterpartyLabels });
}

function coverageOf(labels: boolean, transfers: boolean): Coverage {
  if (labels) return transfers ? 'full' : 'labels';
  return transfers ? 'transfers' : 'none';
}
