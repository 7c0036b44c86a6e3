import { infiniteQueryOptions, keepPreviousData, type QueryClient, queryOptions } from '@tanstack/react-query';
import { forgetDrafts } from '../parts/draft.ts';
import { forgetKept } from '../parts/kept.ts';
import { request, requestText, retryMs, untilAnswered, unlessStatus, withQuery } from './request.ts';
import type {
  AddressView,
  AuditEntryView,
  BudgetView,
  ActView,
  ChainFreshnessView,
  KnownPersonView,
  PartHealthView,
  CaseDetail,
  CaseSummary,
  DeadLetterDetail,
  DeadLetterView,
  DeliveryDetail,
  DeliveryView,
  DisagreementsView,
  GroupRolesView,
  LabelChangeView,
  LabelRequestView,
  LabelSourcesView,
  LabelView,
  LiveSessionView,
  Page,
  PoliciesView,
  PolicyCheckView,
  PolicyDifference,
  PolicyView,
  ProcessSettingsView,
  ProvidersView,
  ReviewDetail,
  ReviewView,
  SavedView,
  ScreeningView,
  SessionView,
  StatisticsView,
  TokenView,
  UserView,
  VelocityView,
} from './types.ts';

/** Without events of the stream, a view is at most this old. */
const pollMs = 15_000;
const slowPollMs = 120_000;
/** The timers of a browser take no more than 24 days. */
const longestMs = 3_600_000;

export type Query = Readonly<Record<string, string | undefined>>;

/** Tells people apart. */
export const personOf = ({ role, name }: SessionView): string => `${role} ${name}`;

let lastPerson: string | undefined;

/** Somebody else may sign in by another tab: what was read and begun for the person before must not be shown to them. */
function leaveNothingTo(person: string, client: QueryClient): void {
  if (lastPerson !== undefined && lastPerson !== person) {
    forgetDrafts();
    forgetKept();
    client.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'session' });
  }
  lastPerson = person;
}

/** Null: nobody is signed in. */
export const session = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal, client }) => {
    const who = await request<SessionView>('/v1/session', { signal }).catch(unlessStatus(401));
    if (who !== null) leaveNothingTo(personOf(who), client);
    return who;
  },
  staleTime: pollMs,
  // Somebody may have signed in by another tab.
  refetchOnWindowFocus: 'always',
  // Without it, no view is shown that could read again. Near its end, a use in another tab may have prolonged it.
  refetchInterval: ({ state: { status, data } }) => {
    if (status === 'error') return retryMs;
    return data == null || data.idle === null ? false : Math.min(untilWarningMs(data), longestMs) || pollMs;
  },
});

/** Somebody who reads must have the time to answer. */
const warnedMs = 120_000;

const untilNearMs = (limit: SessionView['idle']): number =>
  limit === null ? Number.POSITIVE_INFINITY : Math.max(0, limit.left_ms - Math.min(warnedMs, limit.limit_ms / 2));

/** Milliseconds until an end of the session is so near that its person is warned; 0: it is. */
const untilWarningMs = ({ idle, absolute }: SessionView): number => Math.min(untilNearMs(idle), untilNearMs(absolute));

/** The end of the session that is near, of two the sooner. */
export function nearEnd({ idle, absolute }: SessionView): { readonly is: 'idle' | 'absolute'; readonly leftMs: number } | undefined {
  const left = (limit: SessionView['idle']): number =>
    limit !== null && untilNearMs(limit) === 0 ? limit.left_ms : Number.POSITIVE_INFINITY;
  const leftMs = Math.min(left(idle), left(absolute));
  if (leftMs === Number.POSITIVE_INFINITY) return undefined;
  return { is: left(absolute) === leftMs ? 'absolute' : 'idle', leftMs };
}

export const systemHealth = queryOptions({
  queryKey: ['system health'],
  queryFn: ({ signal }) => request<{ readonly items: readonly PartHealthView[] }>('/v1/system-health', { signal }),
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

const mostPages = 5;

/** A list is read again with all its pages. A reader who is far down one looks at old rows, which it does not need. */
export function isShort(data: unknown): boolean {
  const pages = (data as { readonly pages?: readonly unknown[] } | undefined)?.pages;
  return pages === undefined || pages.length <= mostPages;
}

const whileShort = ({ state: { data } }: { readonly state: { readonly data?: unknown } }): number | false =>
  isShort(data) ? pollMs : false;

function listOf<Row>(name: string, path = `/v1/${name}`) {
  return (filter: Query) =>
    infiniteQueryOptions({
      queryKey: [name, 'list', filter],
      queryFn: ({ pageParam, signal }) => request<Page<Row>>(withQuery(path, { ...filter, cursor: pageParam, limit: '100' }), { signal }),
      initialPageParam: '',
      getNextPageParam: (page: Page<Row>) => page.next_cursor ?? undefined,
      refetchInterval: whileShort,
    });
}

function oneOf<Row>(name: string, path = `/v1/${name}`) {
  return (id: string) =>
    queryOptions({
      queryKey: [name, 'one', id],
      queryFn: ({ signal }) => request<Row>(`${path}/${encodeURIComponent(id)}`, { signal }),
      refetchInterval: pollMs,
    });
}

export const screenings = listOf<ScreeningView>('screenings');
export const reviews = listOf<ReviewView>('reviews');
export const deliveries = listOf<DeliveryView>('deliveries', '/v1/webhooks/deliveries');
export const deadLetters = listOf<DeadLetterView>('dead-letters');
export const screening = oneOf<ScreeningView>('screenings');
export const delivery = oneOf<DeliveryDetail>('deliveries', '/v1/webhooks/deliveries');
export const deadLetter = (topic: string, offset: string) =>
  queryOptions({
    queryKey: ['dead-letters', 'one', topic, offset],
    queryFn: ({ signal }) => request<DeadLetterDetail>(deadLetterPath(topic, offset), { signal }),
    refetchInterval: pollMs,
  });
export const deadLetterPath = (topic: string, offset: string): string =>
  `/v1/dead-letters/${encodeURIComponent(topic)}/${encodeURIComponent(offset)}`;
export const policy = oneOf<PolicyView>('policies');
export const auditEntry = oneOf<AuditEntryView>('audit', '/v1/audit/entries');
export const review = oneOf<ReviewDetail>('reviews');

/** Below `reviews`: what changes a review can change its case. */
export const cases = (filter: Query) =>
  infiniteQueryOptions({
    queryKey: ['reviews', 'cases', filter],
    queryFn: ({ pageParam, signal }) =>
      request<Page<CaseSummary>>(withQuery('/v1/cases', { ...filter, cursor: pageParam, limit: '100' }), { signal }),
    initialPageParam: '',
    getNextPageParam: (page: Page<CaseSummary>) => page.next_cursor ?? undefined,
    refetchInterval: whileShort,
  });

export const caseOf = (id: string) =>
  queryOptions({
    queryKey: ['reviews', 'case', id],
    queryFn: ({ signal }) => request<CaseDetail>(`/v1/cases/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: pollMs,
  });

export const user = (id: string) =>
  queryOptions({
    queryKey: ['screenings', 'user', id],
    queryFn: ({ signal }) => request<UserView>(`/v1/users/${encodeURIComponent(id)}`, { signal }),
    refetchInterval: pollMs,
  });

export const velocity = (id: string) =>
  queryOptions({
    queryKey: ['screenings', 'velocity', id],
    queryFn: ({ signal }) => request<VelocityView>(withQuery('/v1/policies/velocity', { user_id: id }), { signal }),
    refetchInterval: pollMs,
  });

export const address = (of: string) =>
  queryOptions({
    queryKey: ['screenings', 'address', of],
    queryFn: ({ signal }) => request<AddressView>(`/v1/addresses/${encodeURIComponent(of)}`, { signal }),
    refetchInterval: pollMs,
  });

/** The latest screening with a result of the address, else of a transfer with it; null without one. */
export const resultOf = (of: string) =>
  queryOptions({
    queryKey: ['screenings', 'result of', of],
    queryFn: async ({ signal }): Promise<ScreeningView | null> => {
      for (const name of ['subject', 'address']) {
        const { items } = await request<Page<ScreeningView>>(withQuery('/v1/screenings', { [name]: of, limit: '20' }), { signal });
        const found = items.find(({ result }) => result !== null);
        if (found !== undefined) return found;
      }
      return null;
    },
    refetchInterval: pollMs,
  });

export const labelSources = queryOptions({
  queryKey: ['labels', 'sources'],
  queryFn: ({ signal }) => request<LabelSourcesView>('/v1/label-sources', { signal }),
  refetchInterval: pollMs,
});

export const labelChanges = queryOptions({
  queryKey: ['labels', 'changes'],
  queryFn: ({ signal }) => request<{ readonly items: readonly LabelChangeView[] }>('/v1/label-changes', { signal }),
  refetchInterval: pollMs,
});

/** An approved one is applied within seconds. */
const requestsEveryMs = 3_000;

export const labelRequests = queryOptions({
  queryKey: ['labels', 'requests'],
  queryFn: ({ signal }) => request<{ readonly items: readonly LabelRequestView[] }>('/v1/label-requests', { signal }),
  refetchInterval: requestsEveryMs,
});

export const labels = (filter: Query) =>
  queryOptions({
    queryKey: ['labels', 'list', filter],
    queryFn: ({ signal }) =>
      request<{ readonly items: readonly LabelView[] }>(withQuery('/v1/labels', { ...filter, limit: '200' }), { signal }),
    // A source without many labels is looked for among all labels.
    refetchInterval: filter['address'] === '' ? slowPollMs : pollMs,
  });

export const chainFreshness = queryOptions({
  queryKey: ['labels', 'freshness'],
  queryFn: ({ signal }) => request<{ readonly items: readonly ChainFreshnessView[] }>('/v1/chain-freshness', { signal }),
  refetchInterval: pollMs,
});

export const savedViews = queryOptions({
  queryKey: ['saved views'],
  queryFn: ({ signal }) => request<{ readonly items: readonly SavedView[] }>('/v1/saved-views', { signal }),
  refetchInterval: pollMs,
});

export const checkpoint = queryOptions({
  queryKey: ['audit', 'checkpoint'],
  queryFn: ({ signal }) => requestText('/v1/audit/checkpoint', signal),
  refetchInterval: pollMs,
});

export const auditKeys = queryOptions({
  queryKey: ['audit', 'keys'],
  queryFn: ({ signal }) => requestText('/v1/audit/key', signal),
});

export const policies = queryOptions({
  queryKey: ['policies', 'list'],
  queryFn: ({ signal }) => request<PoliciesView>('/v1/policies', { signal }),
  refetchInterval: pollMs,
});

export const budget = queryOptions({
  queryKey: ['providers', 'budget'],
  queryFn: ({ signal }) => request<BudgetView>('/v1/providers/budget', { signal }),
  refetchInterval: pollMs,
});

export const providers = (since: string) =>
  queryOptions({
    queryKey: ['providers', since],
    queryFn: ({ signal }) => request<ProvidersView>(withQuery('/v1/providers', { since }), { signal }),
    refetchInterval: pollMs,
  });

export const differences = (from: string, to: string) =>
  queryOptions({
    queryKey: ['policies', 'differences', from, to],
    queryFn: ({ signal }) => request<PolicyDifference>(withQuery(`/v1/policies/${encodeURIComponent(to)}/changes`, { from }), { signal }),
  });

export const disagreements = (since: string) =>
  queryOptions({
    queryKey: ['policies', 'disagreements', since],
    queryFn: ({ signal }) => request<DisagreementsView>(withQuery('/v1/policies/disagreements', { since }), { signal }),
    refetchInterval: pollMs,
  });

export const policyCheck = (text: string) =>
  queryOptions({
    queryKey: ['policies', 'check', text],
    queryFn: ({ signal }) => request<PolicyCheckView>('/v1/policies/checks', { method: 'POST', body: { text }, signal }),
    placeholderData: keepPreviousData,
    // A draft that nobody changes would never be checked otherwise.
    refetchInterval: untilAnswered,
  });

function wholeListOf<Row>(name: string) {
  return queryOptions({
    queryKey: ['administration', name],
    queryFn: ({ signal }) => request<{ readonly items: readonly Row[] }>(`/v1/${name}`, { signal }),
    refetchInterval: pollMs,
  });
}

/** Whom a review can be assigned to. */
export const assignees = queryOptions({
  queryKey: ['assignees'],
  queryFn: ({ signal }) => request<{ readonly items: readonly { readonly name: string }[] }>('/v1/assignees', { signal }),
  staleTime: pollMs,
});

export const people = queryOptions({
  queryKey: ['administration', 'people'],
  queryFn: ({ signal }) => request<{ readonly items: readonly KnownPersonView[] }>('/v1/people', { signal }),
  refetchInterval: pollMs,
});

export const acts = infiniteQueryOptions({
  queryKey: ['acts'],
  queryFn: ({ signal, pageParam: cursor }) => request<Page<ActView>>(withQuery('/v1/activities', { cursor }), { signal }),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  refetchInterval: whileShort,
});

export const tokens = wholeListOf<TokenView>('tokens');
export const liveSessions = wholeListOf<LiveSessionView>('sessions');
export const settings = wholeListOf<ProcessSettingsView>('settings');

export const groupRoles = queryOptions({
  queryKey: ['administration', 'group roles'],
  queryFn: ({ signal }) => request<GroupRolesView>('/v1/group-roles', { signal }),
});
