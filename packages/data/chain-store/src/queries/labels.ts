import { canonicalCategory, type Label, type RiskStore, worstFirst } from '@weir/risk-engine';
import { kindOf, type LabelType } from './categories.ts';
import type { AddressSubject } from './subject.ts';

export interface AddressLabels {
  readonly label_list: string[];
  readonly label_type: LabelType;
}

/** More names come only from sources that disagree. */
const mostLabels = 100;

export async function addressLabels(store: RiskStore, { chain, address, atMs }: AddressSubject): Promise<AddressLabels> {
  const found = await store.labelsOf(chain, [address], atMs);
  const labels = worstFirst(found.get(address) ?? []);
  return {
    label_list: [...new Set([...labels.map(({ name }) => name), ...labels.flatMap(kindName)])].slice(0, mostLabels),
    label_type: labels.map((label) => kindOf(label).labelType).find((type) => type !== '') ?? '',
  };
}

/** The category in words; the source's own category where the engine has none. Nothing for `ordinary`. */
function kindName({ category }: Label): string[] {
  const known = canonicalCategory(category);
  const name = known === 'ordinary' ? category : known;
  if (name.toLowerCase() === 'ordinary') return [];
  return [name.replaceAll('_', ' ').replace(/(^|\s)\S/g, (letter) => letter.toUpperCase())];
}
