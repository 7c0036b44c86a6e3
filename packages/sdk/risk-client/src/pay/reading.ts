import type { Reply } from '../http.ts';

/** A task's path on the same API; null for anything else, so that the client goes nowhere else. */
export function locationOf(reply: Reply, base: URL): string | null {
  const location = reply.headers.get('location');
  const url = location === null ? null : URL.parse(location, base.href);
  if (url === null || url.origin !== base.origin || url.search !== '' || url.hash !== '') return null;
  return /^\/[A-Za-z0-9/_.~-]{1,300}$/.test(url.pathname) ? url.pathname : null;
}
