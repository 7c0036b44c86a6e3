import { useEffect, useEffectEvent, useRef } from 'react';
import { NavigationType, useMatches, useNavigationType } from 'react-router';
import { words } from '../words/en.ts';
import { shortened } from '../words/format.ts';

/** The `handle` of a route. */
interface ViewHandle {
  readonly title: string;
  /** The parameters of the path that say what the view is about. */
  readonly of?: readonly string[];
  /** The view shows one row of its list, under a heading of its own. */
  readonly isDetail?: boolean;
}

export function useTitle(title: string): void {
  useEffect(() => {
    document.title = title;
  }, [title]);
}

/** Gives the page the title of its view, and moves the focus to the heading when the reader changes to another view. */
export function useView(): void {
  const match = useMatches().at(-1);
  // The first address leads to a view at once.
  const handle = match?.handle as ViewHandle | undefined;
  const view = handle === undefined ? undefined : nameOf(handle, match?.params ?? {});
  useTitle(view === undefined ? words.product : words.titleOf(view));
  useFocusOnHeading(view, handle?.isDetail === true ? `[${detailHeading}]` : 'h1');
}

function nameOf({ title, of = [] }: ViewHandle, params: Readonly<Record<string, string | undefined>>): string {
  return [title, ...of.map((name) => shortened(params[name] ?? ''))].join(' ');
}

/** Marks the heading of a detail. */
export const detailHeading = 'data-detail';

/** Focuses the heading. False: there is none. */
export function focusHeading(selector = 'h1', options?: FocusOptions): boolean {
  const heading = document.querySelector<HTMLElement>(`main ${selector}`);
  if (heading === null) return false;
  heading.tabIndex = -1;
  heading.focus(options);
  return true;
}

/** Filters do not change the view, and leave the focus where it is. */
function useFocusOnHeading(view: string | undefined, selector: string): void {
  const before = useRef(view);
  const type = useNavigationType();
  // On the way back the browser scrolls by itself to where the reader was.
  const optionsNow = useEffectEvent((): FocusOptions => ({ preventScroll: type === NavigationType.Pop }));
  useEffect(() => {
    const isFirst = before.current === undefined;
    if (before.current === view) return;
    before.current = view;
    const main = document.querySelector('main');
    if (isFirst || main === null) return;
    const options = optionsNow();
    if (focusHeading(selector, options)) return;
    main.focus(options);
    // The heading comes with the data, unless the reader has moved on by then.
    const observer = new MutationObserver(() => {
      if (document.activeElement !== main || focusHeading(selector, options)) observer.disconnect();
    });
    observer.observe(main, { childList: true, subtree: true });
    return () => observer.disconnect();
  }, [view, selector]);
}
