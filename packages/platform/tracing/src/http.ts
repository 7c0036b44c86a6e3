import { activeSpan, endFailed, inSpan, toTraceparent } from './tracing.ts';

interface Call {
  readonly method: string;
  readonly headers: Record<string, string>;
}

/** A `fetch` that has a span for each call within a span. `tells`: the receiver gets the `traceparent`. */
export function tracedFetch<C extends Call, A extends { readonly status: number }>(
  fetch: (url: URL, call: C) => Promise<A>,
  { service, tells }: { service: string; tells: boolean },
): (url: URL, call: C) => Promise<A> {
  return async (url, call) => {
    if (activeSpan() === undefined) return fetch(url, call);
    const attributes = { 'http.request.method': call.method, 'server.address': url.hostname };
    return inSpan({ service, name: call.method, kind: 'client', attributes }, async (span) => {
      const own = span?.spanContext();
      const headers = own === undefined || !tells ? call.headers : { ...call.headers, traceparent: toTraceparent(own) };
      const answer = await fetch(url, { ...call, headers });
      span?.setAttribute('http.response.status_code', answer.status);
      if (span !== undefined && answer.status >= 400) endFailed(span, { code: String(answer.status) });
      return answer;
    });
  };
}
