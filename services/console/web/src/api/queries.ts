import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { ApiError, request, requestText, withQuery } from './request.ts';
import type {
  AddressView,
  AuditEntryView,
  BudgetView,
  ChainFreshnessView,
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
  Readiness,
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

const mostPages = 5;

/** A list is read again with all its pages. A reader who is far down one looks at old rows, which it does not need. */
export function isShort(data: unknown): boolean {
  const pages = (data as { readonly pages?: readonly unknown[] } | undefined)?.pages;
  return pages === undefined || pages.length <= mostPages;
}

function listOf<Row>(name: string, path = `/v1/${name}`) {
  return (filter: Query) =>
    infiniteQueryOptions({
      queryKey: [name, 'list', filter],
      queryFn: ({ pageParam, signal }) => request<Page<Row>>(withQuery(path, { ...filter, cursor: pageParam, limit: '100' }), { signal }),
      initialPageParam: '',
      getNextPageParam: (page: Page<Row>) => page.next_cursor ?? undefined,
      refetchInterval: ({ state: { data } }) => (isShort(data) ? pollMs : false),
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
    refetchInterval: ({ state: { data } }) => (isShort(data) ? pollMs : false),
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
  });

export const velocity = (id: string) =>
  queryOptions({
    queryKey: ['screenings', 'velocity', id],
    queryFn: ({ signal }) => request<VelocityView>(withQuery('/v1/policies/velocity', { user_id: id }), { signal }),
  });

export const address = (of: string) =>
  queryOptions({
    queryKey: ['screenings', 'address', of],
    queryFn: ({ signal }) => request<AddressView>(`/v1/addresses/${encodeURIComponent(of)}`, { signal }),
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
  });

export const chainFreshness = queryOptions({
  queryKey: ['labels', 'freshness'],
  queryFn: ({ signal }) => request<{ readonly items: readonly ChainFreshnessView[] }>('/v1/chain-freshness', { signal }),
  refetchInterval: pollMs,
});

export const savedViews = queryOptions({
  queryKey: ['saved views'],
  queryFn: ({ signal }) => request<{ readonly items: readonly SavedView[] }>('/v1/saved-views', { signal }),
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
  });

function wholeListOf<Row>(name: string) {
  return queryOptions({
    queryKey: ['administration', name],
    queryFn: ({ signal }) => request<{ readonly items: readonly Row[] }>(`/v1/${name}`, { signal }),
    refetchInterval: pollMs,
  });
}

export const tokens = wholeListOf<TokenView>('tokens');
export const liveSessions = wholeListOf<LiveSessionView>('sessions');
export const settings = wholeListOf<ProcessSettingsView>('settings');

export const groupRoles = queryOptions({
  queryKey: ['administration', 'group roles'],
  queryFn: ({ signal }) => request<GroupRolesView>('/v1/group-roles', { signal }),
});
