import { compare } from '../combine.ts';
import type { Label } from '../store.ts';
import { accusingCategories, clusterWeights, isAccusingCategory, isServiceCategory, isSuspicion, serviceCategories } from '../weights.ts';

/** Lower case. Labels of these categories count for the other addresses of a cluster. */
export const sharedCategories: readonly string[] = [...serviceCategories, ...accusingCategories];

export interface MemberLabel {
  readonly address: string;
  readonly label: Label;
}

/**
 * The labels of a cluster's members as they count for its other addresses, each claim once. `addresses`: all of the cluster.
 *
 * In a service's cluster its own labels count alone: an accused deposit address there is one customer's. Elsewhere an accusation is a
 * suspicion of the others. No label of an authority comes of it: the authority listed another address.
 */
export function sharedLabels(members: readonly MemberLabel[], addresses: number): readonly Label[] {
  const services = members.filter(({ label }) => isServiceCategory(label.category) && !isSuspicion(label.confidence));
  const accused = addresses <= clusterWeights.accusation_addresses ? members.filter(({ label }) => isAccusingCategory(label.category)) : [];
  const shared = services.length > 0 ? services : accused;
  const factor = services.length > 0 ? clusterWeights.service_confidence : clusterWeights.accusation_confidence;
  const claims = Map.groupBy(shared, ({ label: { category, name, source } }) => JSON.stringify([category, name, source]));
  return [...claims.values()].flatMap((claim) => {
    const [surest] = claim.toSorted((a, b) => b.label.confidence - a.label.confidence || compare(a.address, b.address));
    return surest === undefined ? [] : [through(surest, factor, addresses)];
  });
}

function through({ address, label }: MemberLabel, factor: number, addresses: number): Label {
  const { source_kind: kind, ...claim } = label;
  return {
    ...claim,
    confidence: label.confidence * factor,
    ...(kind === undefined || kind === 'authority' ? {} : { source_kind: kind }),
    via: { address, addresses },
  };
}
