import { publishedLists, type PublishedList } from '@weir/chain-import';

export interface ListSettings {
  /** Comma-separated names of lists that are kept fresh. */
  readonly lists: string;
  /** `LIST=URL` in place of the publisher's, with commas. */
  readonly listUrls: string;
  /** Between two checks of a list. */
  readonly listIntervalMs: number;
  /** A list whose last successful check is older is stale. */
  readonly listMaxAgeMs: number;
}

const names = publishedLists.map(({ name }) => name).join(', ');

/** Throws with the names of all lists for an unknown one. */
export function listNamed(name: string): PublishedList {
  const list = publishedLists.find((each) => each.name === name);
  if (list === undefined) throw new Error(`there is no list ${JSON.stringify(name.slice(0, 60))}; there are ${names}`);
  return list;
}

/** The enabled lists, each with its configured URL. Throws for an unknown name. */
export function enabledLists({ lists, listUrls }: Pick<ListSettings, 'lists' | 'listUrls'>): readonly PublishedList[] {
  return namesIn(lists).map((name) => withUrl(listNamed(name), listUrls));
}

/** The list with its configured URL. */
export function withUrl(list: PublishedList, listUrls: string): PublishedList {
  return { ...list, url: urlsIn(listUrls).get(list.name) ?? list.url };
}

const namesIn = (text: string): string[] => (text === '' ? [] : text.split(',').map((name) => name.trim()));

/** An address may contain commas. */
function urlsIn(text: string): ReadonlyMap<string, string> {
  const pairs = text === '' ? [] : text.split(/,(?=[\w-]+=https?:)/).map((pair) => pair.split(/=(.*)/s, 2));
  return new Map(pairs.map(([name = '', url = '']) => [name.trim(), url.trim()]));
}

/** Without encryption anybody on the way could add or remove entries. */
function isSafe(text: string): boolean {
  const url = URL.parse(text);
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname));
}

export const defaultListSettings: ListSettings = {
  lists: '',
  listUrls: '',
  listIntervalMs: 21_600_000,
  listMaxAgeMs: 172_800_000,
};

const known = (value: unknown): void => {
  const asked = namesIn(String(value));
  for (const name of asked) listNamed(name);
  if (new Set(asked).size < asked.length) throw new Error('names a list twice');
};

const safeUrls = (value: unknown): void => {
  for (const [name, url] of urlsIn(String(value))) {
    listNamed(name);
    if (!isSafe(url)) throw new Error(`must be LIST=URL with https, with commas; ${name} has another address`);
  }
};

export const listSchema = {
  lists: {
    doc: 'Published sanctions lists that are kept fresh, with commas, as ofac-sdn,uk; empty: none, and nothing is fetched',
    format: known,
    default: defaultListSettings.lists,
    env: 'WEIR_LISTS',
  },
  listUrls: {
    doc: 'Other addresses of published lists, as LIST=URL with commas: a mirror of yours; empty: those of the publishers',
    format: safeUrls,
    default: defaultListSettings.listUrls,
    env: 'WEIR_LIST_URLS',
  },
  listIntervalMs: {
    doc: 'How often a published list is checked; after a failure sooner',
    format: 'positive-int',
    default: defaultListSettings.listIntervalMs,
    env: 'WEIR_LIST_INTERVAL_MS',
  },
  listMaxAgeMs: {
    doc: 'A published list whose last successful check is older is stale: metrics, an alert and "weir doctor" say so',
    format: 'positive-int',
    default: defaultListSettings.listMaxAgeMs,
    env: 'WEIR_LIST_MAX_AGE_MS',
  },
} as const;
