import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Asked, request } from './request.ts';

/** One change of a review. Afterwards, also after a refusal, all views are read again: another person may have been first. */
export function useReviewChange<Body extends object>(screeningId: string, what: string, method: Asked['method'] = 'POST') {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (body: Body) => request(`/v1/reviews/${screeningId}/${what}`, { method, body }),
    onSettled: () =>
      Promise.all([client.invalidateQueries({ queryKey: ['reviews'] }), client.invalidateQueries({ queryKey: ['screenings'] })]),
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
    mutationFn: () => request('/v1/session', { method: 'DELETE' }),
    onSettled: () => client.resetQueries(),
  });
}
