import type { LabelRow } from '@weir/facts';
import { canonicalCategory, categoryNames } from '@weir/risk-engine';
import { note, plain } from '../output.ts';

/** Named to the person at most. */
const mostNamed = 20;

/** Watches labels for categories that no score knows: they count as ordinary, and a slip of the pen must not make a thief ordinary unseen. */
export function unknownCategories(): { watch: (row: LabelRow) => LabelRow; tell: () => void } {
  const found = new Set<string>();
  return {
    watch: (row) => {
      const unknown = canonicalCategory(row.category) === 'ordinary' && row.category.toLowerCase() !== 'ordinary';
      if (unknown && found.size <= mostNamed) found.add(row.category);
      return row;
    },
    tell: () => {
      if (found.size === 0) return;
      const names = [...found].slice(0, mostNamed).map((name) => JSON.stringify(plain(name)));
      note(`Categories that no score knows, so they count as ordinary: ${names.join(', ')}${found.size > mostNamed ? ' and more' : ''}.`);
      note(`Known are ${categoryNames.join(', ')}.`);
    },
  };
}
