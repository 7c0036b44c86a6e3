/** A difference between the database and something outside it, or within. */
export interface Difference {
  readonly about: 'transfers' | 'screenings' | 'decisions' | 'permits' | 'audit' | 'broker' | 'budget' | 'erasures';
  /** `mended`: it is gone, or would be without `--dry-run`. `named`: a person must look. */
  readonly state: 'mended' | 'named';
  readonly detail: string;
  /** For the audit log, which names screenings: an id of the exchange must go with its transfer. Absent: as `detail`. */
  readonly recorded?: string;
}

/** At most this many single items are named. */
export const mostNamed = 100;

/** One difference for each of the first items, and one that counts the `rest`. */
export function differencesOf<Item>(
  items: readonly Item[],
  of: Pick<Difference, 'about' | 'state'>,
  {
    detail,
    recorded,
    rest,
  }: { readonly detail: (item: Item) => string; readonly recorded?: (item: Item) => string; readonly rest: (count: number) => string },
): Difference[] {
  const named = items.slice(0, mostNamed).map((item) => ({
    ...of,
    detail: detail(item),
    ...(recorded === undefined ? {} : { recorded: recorded(item) }),
  }));
  return items.length > mostNamed ? [...named, { ...of, detail: rest(items.length - mostNamed) }] : named;
}
