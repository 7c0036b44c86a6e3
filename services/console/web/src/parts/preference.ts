import { useSyncExternalStore } from 'react';

/** One of two values, which the reader chooses and the browser keeps. */
export interface Preference<T extends string> {
  readonly get: () => T;
  readonly follow: (reader: () => void) => () => void;
  readonly toggle: () => void;
}

/** The usual value stands until the reader chooses the other. */
export function createPreference<T extends string>(key: string, usual: T, other: T): Preference<T> {
  const readers = new Set<() => void>();
  const get = (): T => (localStorage.getItem(key) === other ? other : usual);
  return {
    get,
    follow: (reader) => {
      readers.add(reader);
      return () => readers.delete(reader);
    },
    toggle: () => {
      localStorage.setItem(key, get() === usual ? other : usual);
      for (const reader of readers) reader();
    },
  };
}

export function usePreference<T extends string>({ follow, get }: Preference<T>): T {
  return useSyncExternalStore(follow, get);
}
