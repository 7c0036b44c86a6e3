import { useState } from 'react';

const prefix = 'weir.draft ';

export interface Draft {
  readonly text: string | undefined;
  /** Whether it was begun in this view. One from before must not take the focus. */
  readonly isBegun: boolean;
  /** Undefined removes it. */
  readonly keep: (text: string | undefined) => void;
  /** It was sent: it goes, unless its person has written on. */
  readonly sent: (text: string) => void;
  /** It was sent, and stays in view until its form goes. */
  readonly forget: () => void;
}

/**
 * A text that its person has begun, for as long as the tab is open: a session that ends does not take it. `key` names the person, too, for
 * another one may sign in after them.
 */
export function useDraft(key: string): Draft {
  const [held, setHeld] = useState<{ readonly key: string; readonly text: string | undefined }>();
  const isBegun = held?.key === key;
  const forget = (): void => forgetDraft(key);
  const keep = (text: string | undefined): void => {
    setHeld({ key, text });
    if (text === undefined || text === '') forget();
    else sessionStorage.setItem(prefix + key, text);
  };
  const sent = (of: string): void => {
    if (sessionStorage.getItem(prefix + key) === of) keep(undefined);
  };
  return { text: isBegun ? held.text : (sessionStorage.getItem(prefix + key) ?? undefined), isBegun, keep, sent, forget };
}

export function forgetDraft(key: string): void {
  sessionStorage.removeItem(prefix + key);
}

/** Removes the drafts of this tab when its person signs out. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(prefix)) sessionStorage.removeItem(key);
}
