import { useEffect, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';

let said = { count: 0, text: '' };
const readers = new Set<() => void>();

function follow(reader: () => void): () => void {
  readers.add(reader);
  return () => readers.delete(reader);
}

/** Says what was done to those who do not see it (WCAG 4.1.3). */
export function announce(text: string): void {
  said = { count: said.count + 1, text };
  for (const reader of readers) reader();
}

/** The region of announcements, which a page must have before its text. Another view begins without a text. */
export function Announcements() {
  const { count, text } = useSyncExternalStore(follow, () => said);
  const { pathname } = useLocation();
  useEffect(() => announce(''), [pathname]);
  return (
    <p role="status" className="visually-hidden">
      {/* The same text is said again. */}
      <span key={count}>{text}</span>
    </p>
  );
}

/** Moves the focus from a form that goes to a place in its section, or in a smaller part, unless the reader has moved on. */
export function focusAfterAct(place: HTMLElement | null, part: Element | null | undefined = place?.closest('section')): void {
  const { activeElement: at, body } = document;
  if (at === null || at === body || part?.contains(at) === true) place?.focus();
}
