import { useEffect, useEffectEvent } from 'react';
import { useLocation } from 'react-router';
import { useKept } from './kept.ts';
import { createPreference, usePreference } from './preference.ts';

/** Whoever speaks to the browser, or hits keys by accident, turns them off (WCAG 2.1.4). */
const preference = createPreference('weir.keys', 'on', 'off');

export function useKeyPreference(): 'on' | 'off' {
  return usePreference(preference);
}

export const switchKeys = preference.toggle;

/** Where letters are text, or choose something by themselves. */
const typing = 'input:not([type=checkbox]), textarea, select, [role=listbox], [role=dialog], [data-takes-keys]';
/** What Enter opens by itself. */
const pressable = 'a, button, summary, [role=button]';

/** Keys that act on the page, unless somebody types, or a key is held with another. */
export function useKeys(keys: Readonly<Record<string, (event: KeyboardEvent) => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const at = event.target as HTMLElement;
    const act = keys[event.key];
    if (act === undefined || preference.get() === 'off' || at.closest(typing) !== null || event.ctrlKey || event.metaKey || event.altKey)
      return;
    if (event.key === 'Enter' && at.closest(pressable) !== null) return;
    event.preventDefault();
    act(event);
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

interface RowActs {
  readonly onMove: (index: number) => void;
  readonly onOpen: (index: number) => void;
  readonly onMark: (index: number) => void;
}

interface ChosenRow {
  /** -1: none is. */
  readonly index: number;
  /** How many rows it needs for the chosen one to be among them. */
  readonly reach: number;
  readonly choose: (id: string) => void;
}

/**
 * The row that `j` and `k` have moved to, or that was opened. It stays the same row when others come and go, and when the reader comes
 * back. Without `on`, the table has no such row.
 */
export function useRowKeys(ids: readonly string[], on: RowActs | undefined): ChosenRow {
  const { pathname, search } = useLocation();
  // A detail beside its list has the path of its row, in some lists with the filter.
  const own = ids.includes(pathname + search) ? pathname + search : pathname;
  const [{ id, reach }, keep] = useKept('row', { id: own, reach: 0 });
  const choose = (next: string): void => keep(() => ({ id: next, reach: ids.indexOf(next) + 1 }));
  const chosen = on === undefined ? -1 : ids.indexOf(id);
  const move = (to: number): void => {
    if (ids.length === 0) return;
    const index = Math.min(Math.max(to, 0), ids.length - 1);
    choose(ids[index] ?? own);
    on?.onMove(index);
  };
  const open = { Enter: () => on?.onOpen(chosen), x: () => on?.onMark(chosen) };
  useKeys(on === undefined ? {} : { j: () => move(chosen + 1), k: () => move(chosen - 1), ...(chosen >= 0 && open) });
  return { index: chosen, reach, choose };
}
