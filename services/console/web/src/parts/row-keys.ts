import { useEffect, useEffectEvent, useState } from 'react';

/** Keys that act on the page, unless somebody types, or a key is held with another. */
export function useKeys(keys: Readonly<Record<string, () => void>>): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    const at = event.target as HTMLElement;
    const isTyping = at.closest('input, textarea, select, [role=listbox], [role=dialog], [data-takes-keys]') !== null;
    const act = keys[event.key];
    if (act === undefined || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'Enter' && at.closest('a, button') !== null) return;
    event.preventDefault();
    act();
  });
  useEffect(() => {
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, []);
}

/** The row that `j` and `k` have moved to; -1 before. */
export function useRowKeys(
  count: number,
  on: { readonly onMove: (index: number) => void; readonly onOpen: (index: number) => void; readonly onMark: (index: number) => void },
): number {
  const [chosen, choose] = useState(-1);
  const move = (to: number): void => {
    const index = Math.min(Math.max(to, 0), count - 1);
    choose(index);
    on.onMove(index);
  };
  useKeys({ j: () => move(chosen + 1), k: () => move(chosen - 1), Enter: () => on.onOpen(chosen), x: () => on.onMark(chosen) });
  return chosen;
}
