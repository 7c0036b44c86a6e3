import { Unusable } from '../source/fields.ts';

/** One text or several; none if the field is empty. */
export function listOf(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return [];
  const items = Array.isArray(value) ? (value as unknown[]) : [value];
  if (!items.every((item) => typeof item === 'string')) throw new Unusable('source or concepts is no text and no list of texts');
  return items;
}

/** Of URLs, each once and sorted; other texts as they are. */
export function hostsOf(source: unknown): string[] {
  const hosts = listOf(source).map((text) => (URL.canParse(text) ? new URL(text).hostname.replace(/^www\./, '') : text));
  return [...new Set(hosts)].toSorted();
}
