import { useState } from 'react';
import { useLocation } from 'react-router';

const kept = new Map<string, unknown>();
/** Places that a reader may come back to. */
const mostKept = 100;

/** State of a view that a reader finds again on the way back to the same address, until the tab is loaded again. */
export function useKept<T>(name: string, start: T): readonly [T, (nextOf: (now: T) => T) => void] {
  const { pathname, search } = useLocation();
  const key = `${name} ${pathname}${search}`;
  const [, redraw] = useState({});
  const now = (): T => (kept.has(key) ? (kept.get(key) as T) : start);
  const keep = (nextOf: (now: T) => T): void => {
    const next = nextOf(now());
    // The place that was used last is forgotten last.
    kept.delete(key);
    kept.set(key, next);
    for (const [oldest] of kept) if (kept.size > mostKept) kept.delete(oldest);
    redraw({});
  };
  return [now(), keep];
}

/** Another person may sign in. */
export function forgetKept(): void {
  kept.clear();
}
