import { useMutation, useQueryClient } from '@tanstack/react-query';
import { forgetDrafts } from '../parts/draft.ts';
import { forgetKept } from '../parts/kept.ts';
import { type Asked, request, unlessStatus } from './request.ts';
import type { SavedView } from './types.ts';

type Method = NonNullable<Asked['method']>;

/** Before the views are read again. */
type OnSuccess<Body> = (answer: unknown, body: Body) => void;

export function useReviewChange<Body extends object>(
  screeningId: string,
  what: string,
  method: Method = 'POST',
  onSuccess?: OnSuccess<Body>,
) {
  return useChange<Body>(`/v1/reviews/${screeningId}/${what}`, method, onSuccess);
}

export function useCaseChange<Body extends object>(caseId: string, what: string, method: Method = 'POST', onSuccess?: OnSuccess<Body>) {
  return useChange<Body>(`/v1/cases/${caseId}/${what}`, method, onSuccess);
}

/** Afterwards, also after a refusal, all views are read again: another person may have been first. */
function useChange<Body extends object>(path: string, method: Method, onSuccess?: OnSuccess<Body>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => request(path, { method, body }),
    ...(onSuccess && { onSuccess }),
    onSettled: () =>
      Promise.all([client.invalidateQueries({ queryKey: ['reviews'] }), client.invalidateQueries({ queryKey: ['screenings'] })]),
  });
}

/** Proposes, approves or rejects a policy. Afterwards the policies are read again. */
export function usePolicyChange<Body extends object>(what: 'proposals' | 'approvals' | 'rejections', onSuccess?: OnSuccess<Body>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => request(`/v1/policies/${what}`, { method: 'POST', body }),
    ...(onSuccess && { onSuccess }),
    onSettled: () => client.invalidateQueries({ queryKey: ['policies'] }),
  });
}

/** Asks for a change of labels, or answers one. Afterwards all of them are read again. */
export function useLabelChange<Body extends object>(what = '', onSuccess?: OnSuccess<Body>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => request(`/v1/label-requests${what}`, { method: 'POST', body }),
    ...(onSuccess && { onSuccess }),
    onSettled: () => client.invalidateQueries({ queryKey: ['labels'] }),
  });
}

/** Keeps a filter under a name, or removes it where the filter is null. */
export function useSavedView(list: SavedView['list']) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: ({ name, filter }: { readonly name: string; readonly filter: SavedView['filter'] | null }) => {
      const path = `/v1/saved-views/${list}/${encodeURIComponent(name)}`;
      return filter === null ? request(path, { method: 'DELETE' }) : request(path, { method: 'PUT', body: { filter } });
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['saved views'] }),
  });
}

export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (by: { token: string } | { link: string }) =>
      'link' in by
        ? request('/v1/session', { method: 'POST', body: { link: by.link } })
        : request('/v1/session', { method: 'POST', body: {}, headers: { authorization: `Bearer ${by.token}` } }),
    onSuccess: () => client.resetQueries(),
  });
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    // A session that has ended already is signed out, too.
    mutationFn: () => request('/v1/session', { method: 'DELETE' }).catch(unlessStatus(401)),
    // Not after a failure: the session would be found again, and taken for the next person's.
    onSuccess: () => {
      forgetDrafts();
      forgetKept();
      return client.resetQueries();
    },
  });
}
