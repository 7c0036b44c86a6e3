import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query';
import { ApiError, request, withQuery } from './request.ts';
import type { Page, Readiness, ReviewDetail, ReviewView, ScreeningView, SessionView, StatisticsView, UserView } from './types.ts';

/** Without events of the stream, a view is at most this old. */
const pollMs = 15_000;

export type Query = Readonly<Record<string, string | undefined>>;

/** Null: nobody is signed in. */
export const session = queryOptions({
  queryKey: ['session'],
  queryFn: ({ signal }) =>
    request<SessionView>('/v1/session', { signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 401) return null;
      throw error;
    }),
  staleTime: pollMs,
});

export const readiness = queryOptions({
  queryKey: ['readiness'],
  queryFn: ({ signal }) => request<Readiness>('/readyz', { signal }),
  refetchInterval: pollMs,
});

export const statistics = (since: string) =>
  queryOptions({
    queryKey: ['screenings', 'statistics', since],
    queryFn: ({ signal }) => request<StatisticsView>(withQuery('/v1/statistics', { since }), { signal }),
    refetchInterval: pollMs,
  });

export const latestScreenings = queryOptions({
  queryKey: ['screenings', 'latest'],
  queryFn: ({ signal }) => request<Page<ScreeningView>>('/v1/screenings?limit=25', { signal }),
  refetchInterval: pollMs,
});

const pageOptions = { initialPageParam: '', refetchInterval: pollMs } as const;

export const screenings = (filter: Query) =>
  infiniteQueryOptions({
    ...pageOptions,
    queryKey: ['screenings', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      request<Page<ScreeningView>>(withQuery('/v1/screenings', { ...filter, cursor: pageParam, limit: '100' }), { signal }),
    getNextPageParam: (page: Page<ScreeningView>) => page.next_cursor ?? undefined,
  });

export const reviews = (filter: Query) =>
  infiniteQueryOptions({
    ...pageOptions,
    queryKey: ['reviews', 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      request<Page<ReviewView>>(withQuery('/v1/reviews', { ...filter, cursor: pageParam, limit: '100' }), { signal }),
    getNextPageParam: (page: Page<ReviewView>) => page.next_cursor ?? undefined,
  });

export const screening = (id: string) =>
  queryOptions({
    queryKey: ['screenings', 'one', id],
    queryFn: ({ signal }) => request<ScreeningView>(`/v1/screenings/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: pollMs,
  });

export const review = (id: string) =>
  queryOptions({
    queryKey: ['reviews', 'one', id],
    queryFn: ({ signal }) => request<ReviewDetail>(`/v1/reviews/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: pollMs,
  });

export const user = (id: string) =>
  queryOptions({
    queryKey: ['screenings', 'user', id],
    queryFn: ({ signal }) => request<UserView>(`/v1/users/${encodeURIComponent(id)}`, { signal }),
  });
