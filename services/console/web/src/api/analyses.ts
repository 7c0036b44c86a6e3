import { queryOptions } from '@tanstack/react-query';
import { ApiError, request, untilAnswered, withQuery } from './request.ts';
import type { AddressProfile, AddressTrace, AddressTransfers, AnalysableChain, AnalysedScore } from './types.ts';

/** An address on one chain. */
export interface Place {
  readonly chain: string;
  readonly address: string;
}

export type DoneScore = Extract<AnalysedScore, { state: 'done' }>;

const pollMs = 1_000;
/** A task takes some seconds, a long one a minute. */
const mostPolls = 120;
export const followedMs = mostPolls * pollMs;
/** Each question costs budget: none is asked again by itself. */
const asked = { staleTime: Number.POSITIVE_INFINITY, retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false } as const;
const traceLimitMs = 60_000;

/** Not every provider answers each question, which is no failure. */
export const isNotOffered = (error: Error | null): boolean => error instanceof ApiError && error.code === 'NOT_OFFERED';

/** The chains on which an address can be; none: it is no address. */
export async function readChains(address: string, signal: AbortSignal): Promise<readonly AnalysableChain[]> {
  const { items } = await request<{ readonly items: readonly AnalysableChain[] }>(withQuery('/v1/analyses/chains', { address }), {
    signal,
  });
  return items;
}

export const chainsOf = (address: string) =>
  queryOptions({
    queryKey: ['analyses', 'chains', address],
    queryFn: ({ signal }) => readChains(address, signal),
    staleTime: Number.POSITIVE_INFINITY,
    refetchInterval: untilAnswered,
  });

/** Begins the keys of what is asked about an address at once. */
export const askedOf = ({ chain, address }: Place) => ['analyses', 'now', chain, address] as const;

/** The result, or the task that computes it. */
export const scoreOf = (place: Place) =>
  queryOptions({
    ...asked,
    queryKey: [...askedOf(place), 'score'],
    queryFn: ({ signal }) => request<AnalysedScore>('/v1/analyses/scores', { method: 'POST', body: place, signal }),
  });

/** Read until it is done; null: there is no task. */
export const taskOf = (id: string | null) =>
  queryOptions({
    ...asked,
    queryKey: ['analyses', 'task', id],
    queryFn: ({ signal }) => request<AnalysedScore>(`/v1/analyses/scores/${encodeURIComponent(id ?? '')}`, { signal }),
    enabled: id !== null,
    refetchInterval: ({ state: { data, dataUpdateCount } }) => (data?.state === 'running' && dataUpdateCount < mostPolls ? pollMs : false),
  });

export const profileOf = (place: Place) =>
  queryOptions({
    ...asked,
    queryKey: [...askedOf(place), 'profile'],
    queryFn: ({ signal }) => request<AddressProfile>(withQuery('/v1/analyses/profile', { ...place }), { signal }),
  });

/** `coin`: empty for the native one. */
export const transfersOf = ({ chain, address }: Place, coin: string, side: string, page: number) =>
  queryOptions({
    ...asked,
    queryKey: ['analyses', 'transfers', chain, address, coin, side, page],
    queryFn: ({ signal }) =>
      request<AddressTransfers>(withQuery('/v1/analyses/transfers', { chain, address, coin, side, page: String(page) }), { signal }),
  });

export const traceDirections = ['forward', 'backward'] as const satisfies readonly AddressTrace['direction'][];

/** `coin`: empty for the native one. */
export const traceOf = ({ chain, address }: Place, coin: string, direction: AddressTrace['direction']) =>
  queryOptions({
    ...asked,
    queryKey: ['analyses', 'trace', chain, address, coin, direction],
    queryFn: ({ signal }) =>
      request<AddressTrace>(withQuery('/v1/analyses/trace', { chain, address, coin, direction }), { signal, limitMs: traceLimitMs }),
  });
