import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isShort } from './queries.ts';

/** Views are read again at most this often, however many decisions fall. */
const refreshEveryMs = 1_000;
const reconnectMs = 5_000;

/** Reads the views again when a decision falls. Tells whether decisions arrive by themselves; until they do, views poll. */
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
      source = new EventSource('/v1/events');
      const refreshSoon = (): void => void (due ??= window.setTimeout(refresh, refreshEveryMs));
      source.addEventListener('open', () => {
        setLive(true);
        // A decision may have fallen after a view was read and before the stream began.
        refreshSoon();
      });
      source.addEventListener('screening.decided', refreshSoon);
      source.addEventListener('error', () => {
        setLive(false);
        // A browser connects again by itself, except after an answer that is no stream.
        if (source?.readyState === EventSource.CLOSED) again = window.setTimeout(connect, reconnectMs);
      });
    };
    connect();
    return () => {
      source?.close();
      window.clearTimeout(due);
      window.clearTimeout(again);
    };
  }, [client]);
  return isLive;
}
