import { closestMatch } from 'leven';
import { isKnownCategory, knownCategories } from './weights.ts';

/** Far longer than any known name. */
const longestCompared = 64;

/** Rejects an unknown category and suggests the nearest: it would count as ordinary, and a typing error would clear a thief. */
export function categoryFault(category: string): string | undefined {
  return isKnownCategory(category)
    ? undefined
    : `category is not known: ${JSON.stringify(category)}; the nearest is ${nearestCategory(category)}`;
}

/** The known category or alias with the nearest spelling. */
export function nearestCategory(category: string): string {
  return closestMatch(category.toLowerCase().slice(0, longestCompared), knownCategories) ?? 'ordinary';
}
