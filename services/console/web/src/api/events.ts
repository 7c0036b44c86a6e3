import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isShort } from './queries.ts';

/** Views are read again at most this often, however many decisions fall. */
const refreshEveryMs = 1_000;
const reconnectMs = 5_000;
/** Decisions, and acts of people on reviews and cases. */
const refreshing = [
  'screening.decided',
  'review.resolved',
  ...['noted', 'assigned', 'due_set', 'outcome_set', 'attachment_added', 'escalated'].flatMap((act) => [`review.${act}`, `case.${act}`]),
];

/**
 * Reads the views again when a decision falls or another person acts. Tells whether events arrive by themselves; until they do, views poll. A
 * tab in the background has no stream: a browser opens six connections to a host, and a seventh tab would wait for one of them.
 */
export function useDecisions(): boolean {
  const client = useQueryClient();
  const [isLive, setLive] = useState(false);
  useEffect(() => {
    let source: EventSource | undefined;
    let due: number | undefined;
    let again: number | undefined;
    const refresh = (): void => {
      due = undefined;
      for (const queryKey of [['screenings'], ['reviews']]) {
        void client.invalidateQueries({ queryKey, predicate: ({ state: { data } }) => isShort(data) });
      }
    };
    const connect = (): void => {
      source = new EventSource('/v1/events?type=screening,review,case');
      const refreshSoon = (): void => void (due ??= window.setTimeout(refresh, refreshEveryMs));
      source.addEventListener('open', () => {
        setLive(true);
        // A decision may have fallen after a view was read and before the stream began.
        refreshSoon();
      });
      for (const type of refreshing) source.addEventListener(type, refreshSoon);
      source.addEventListener('error', () => {
        setLive(false);
        // A browser connects again by itself, except after an answer that is no stream.
        if (source?.readyState === EventSource.CLOSED) again = window.setTimeout(connect, reconnectMs);
      });
    };
    const disconnect = (): void => {
      source?.close();
      window.clearTimeout(again);
      setLive(false);
    };
    const onChange = (): void => {
      disconnect();
      if (!document.hidden && navigator.onLine) connect();
    };
    onChange();
    document.addEventListener('visibilitychange', onChange);
    window.addEventListener('offline', onChange);
    window.addEventListener('online', onChange);
    return () => {
      disconnect();
      window.clearTimeout(due);
      document.removeEventListener('visibilitychange', onChange);
      window.removeEventListener('offline', onChange);
      window.removeEventListener('online', onChange);
    };
  }, [client]);
  return isLive;
}
