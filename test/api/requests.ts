import type { createApp } from '@weir/service-kit';

type App = Pick<ReturnType<typeof createApp>, 'fetch'>;

/** The app, which counts its requests by status. */
export function countRequests(app: App): App & { readonly requests: () => ReadonlyMap<string, number> } {
  const requests = new Map<string, number>();
  const fetch: App['fetch'] = async (...call) => {
    const answer = await app.fetch(...call);
    requests.set(String(answer.status), (requests.get(String(answer.status)) ?? 0) + 1);
    return answer;
  };
  return { fetch, requests: () => requests };
}
