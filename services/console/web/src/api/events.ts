import { type Query, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { isShort } from './queries.ts';

/** Views are read again at most this often, however many decisions fall. */
const refreshEveryMs = 1_000;
const reconnectMs = 5_000;
/** The queries that decisions and acts of people make stale. */
const stale: readonly (readonly [queries: readonly string[], types: readonly string[]])[] = [
  [
    ['screenings', 'reviews'],
    [
      'screening.decided',
      'review.resolved',
      ...['noted', 'assigned', 'due_set', 'outcome_set', 'attachment_added', 'escalated'].flatMap((act) => [
        `review.${act}`,
        `case.${act}`,
      ]),
    ],
  ],
  [['policies'], ['policy.proposed', 'policy.rejected', 'policy.activated', 'policy.shadowed']],
  [['labels'], ['label.change_requested', 'label.change_answered']],
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
    const waiting = new Set<Query>();
    const refresh = (): void => {
      due = undefined;
      for (const query of waiting) {
        // Its answer may be older than the event. It is not given up: where events do not end, nothing would ever be read.
        if (query.state.fetchStatus === 'fetching') continue;
        waiting.delete(query);
        if (isShort(query.state.data)) void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
      }
      if (waiting.size > 0) due = window.setTimeout(refresh, refreshEveryMs);
    };
    const connect = (): void => {
      source = new EventSource('/v1/events?type=screening,review,case,policy,label');
      const refreshSoon = (queries: readonly string[]): void => {
        for (const name of queries) for (const query of client.getQueryCache().findAll({ queryKey: [name] })) waiting.add(query);
        due ??= window.setTimeout(refresh, refreshEveryMs);
      };
      source.addEventListener('open', () => {
        setLive(true);
        // A decision may have fallen after a view was read and before the stream began.
        for (const [queries] of stale) refreshSoon(queries);
      });
      for (const [queries, types] of stale) for (const type of types) source.addEventListener(type, () => refreshSoon(queries));
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
