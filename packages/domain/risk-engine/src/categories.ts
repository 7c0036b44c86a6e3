import { closestMatch } from 'leven';
import { isKnownCategory, knownCategories } from './weights.ts';

/** Far longer than any that is known. */
const longestCompared = 64;

/**
 * Says of a category that no score knows which known one is written most like it. Such a label would count as ordinary, so a slip of the pen would make a
 * thief harmless.
 */
export function categoryFault(category: string): string | undefined {
  return isKnownCategory(category)
    ? undefined
    : `category is not known: ${JSON.stringify(category)}; the nearest is ${nearestCategory(category)}`;
}

/** The known category, or alias, that is written most like this text. */
export function nearestCategory(category: string): string {
  return closestMatch(category.toLowerCase().slice(0, longestCompared), knownCategories) ?? 'ordinary';
}
