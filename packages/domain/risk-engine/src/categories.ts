import { closestMatch } from 'leven';
import { isKnownCategory, knownCategories } from './weights.ts';

/** Longer than any known name. */
const longestCompared = 64;

/** An unknown category would count as ordinary, so a typing error would clear a thief. */
export function categoryFault(category: string): string | undefined {
  return isKnownCategory(category)
    ? undefined
    : `category is not known: ${JSON.stringify(category)}; the nearest is ${nearestCategory(category)}`;
}

/** By spelling. */
export function nearestCategory(category: string): string {
  return closestMatch(category.toLowerCase().slice(0, longestCompared), knownCategories) ?? 'ordinary';
}
