import { canonicalCategory, countedLabels, type Label, type RiskStore, worstFirst } from '@weir/risk-engine';
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
  const all = found.get(address) ?? [];
  const counted = countedLabels(all);
  const names = [...counted, ...worstFirst(all)].map(({ name }) => name);
  return {
    label_list: [...new Set([...names, ...counted.flatMap(kindName)])].slice(0, mostLabels),
    label_type: counted.map((label) => kindOf(label).labelType).find((type) => type !== '') ?? '',
  };
}

/** The category in words; the source's own category where the engine has none. Nothing for `ordinary`. */
function kindName({ category }: Label): string[] {
  const known = canonicalCategory(category);
  const name = known === 'ordinary' ? category : known;
  if (name.toLowerCase() === 'ordinary') return [];
  return [name.replaceAll('_', ' ').replace(/(^|\s)\S/g, (letter) => letter.toUpperCase())];
}
