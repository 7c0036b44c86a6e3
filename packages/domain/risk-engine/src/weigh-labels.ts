import { compare } from './combine.ts';
import { roundTo } from './result.ts';
import type { Label } from './store.ts';
import { canonicalCategory, isAccusingCategory, isServiceCategory, isSuspicion, sourceWeights, weightOf } from './weights.ts';

/** Labels of one address that say the same of it. */
interface Claim {
  /** 0 to 1, four decimals. */
  readonly probability: number;
  /** Of `weights.json`. */
  readonly categories: readonly string[];
  /** At most ten. */
  readonly sources: readonly string[];
}

/** Some sources call an address a service, others accuse it of a crime. */
export interface Contradiction {
  /** The claim that counts. */
  readonly standing: 'service' | 'accusation';
  readonly service: Claim;
  readonly accusation: Claim;
}

export interface Weighed {
  /** The labels that count, in the order given. */
  readonly labels: readonly Label[];
  readonly contradiction: Contradiction | undefined;
}

const namedSources = 10;

/** The address is a known service, and an accusation against it does not count. */
export function isContested({ standing }: Contradiction): boolean {
  return standing === 'service';
}

/** An authority always wins; otherwise the more probable claim, and the accusation if both are equal. */
export function weighLabels(labels: readonly Label[]): Weighed {
  const [services, accusations] = [labels.filter(vouches), labels.filter(accuses)];
  if (services.length === 0 || accusations.length === 0) return { labels, contradiction: undefined };
  const [service, accusation] = [probabilityOf(services), probabilityOf(accusations)];
  const serviceStands = service > accusation && !accusations.some(isListing);
  return {
    labels: labels.filter((label) => (serviceStands ? !accuses(label) : !isHarmlessService(label))),
    contradiction: {
      standing: serviceStands ? 'service' : 'accusation',
      service: claimOf(services, service),
      accusation: claimOf(accusations, accusation),
    },
  };
}

function accuses({ category }: Label): boolean {
  return isAccusingCategory(category);
}

/** A suspected service vouches for nobody: one unsure tag must not clear a thief. */
function vouches({ category, confidence }: Label): boolean {
  return isServiceCategory(category) && !isSuspicion(confidence);
}

/** Of a mixer or a gambling site nothing is taken back: an accusation does not contradict its risk. */
function isHarmlessService({ category }: Label): boolean {
  return isServiceCategory(category) && weightOf(category).own === 0;
}

function isListing({ category, source_kind }: Label): boolean {
  return source_kind === 'authority' && weightOf(category).risk_type === 'sanctioned_entity';
}

/** P = 1 − Π(1 − confidence · q(kind of source)). A source counts once, by its surest label. */
function probabilityOf(labels: readonly Label[]): number {
  const bySource = new Map<string, number>();
  for (const { source, source_kind = 'curated', confidence } of labels)
    bySource.set(source, Math.max(bySource.get(source) ?? 0, confidence * sourceWeights[source_kind]));
  // Sorted, because a product depends on the order.
  const doubts = [...bySource.values()].map((weight) => 1 - weight).toSorted((a, b) => a - b);
  return 1 - doubts.reduce((product, doubt) => product * doubt, 1);
}

function claimOf(labels: readonly Label[], probability: number): Claim {
  return {
    probability: roundTo(probability, 4),
    categories: [...new Set(labels.map(({ category }) => canonicalCategory(category)))].toSorted(compare),
    sources: [...new Set(labels.map(({ source }) => source))].toSorted(compare).slice(0, namedSources),
  };
}
