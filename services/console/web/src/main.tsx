import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, Navigate, RouterProvider } from 'react-router';
import { ApiError, isTemporary } from './api/request.ts';
import { allowReloadLater, Broken } from './parts/states.tsx';
import { Shell } from './shell.tsx';
import './style.css';
import { CaseView } from './views/case.tsx';
import { CustomerView } from './views/customer.tsx';
import { ReviewsView, ScreeningsView } from './views/lists.tsx';
import { NowView } from './views/now.tsx';
import { SearchView } from './views/search.tsx';
import { words } from './words/en.ts';

const attempts = 2;

/** A session that has ended shows the page to sign in, wherever that is noticed. */
function onError(error: Error): void {
  if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: ['session'] });
}

const client = new QueryClient({
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({ onError }),
  defaultOptions: {
    // By default requests of a browser without a network wait, and are sent when the reader has long thought better of them.
    mutations: { networkMode: 'always' },
    queries: {
      networkMode: 'always',
      retry: (failures, error) => failures < attempts && isTemporary(error),
    },
  },
});

/** Views that the first one does without. */
const CasesView = lazy(async () => ({ default: (await import('./views/cases.tsx')).CasesView }));
const HoldsView = lazy(async () => ({ default: (await import('./views/holds.tsx')).HoldsView }));
const AddressView = lazy(async () => ({ default: (await import('./views/address.tsx')).AddressView }));
const AuditView = lazy(async () => ({ default: (await import('./views/audit.tsx')).AuditView }));
const AdministrationView = lazy(async () => ({ default: (await import('./views/administration.tsx')).AdministrationView }));
const DeadLettersView = lazy(async () => ({ default: (await import('./views/dead-letters.tsx')).DeadLettersView }));
const LabelsView = lazy(async () => ({ default: (await import('./views/labels.tsx')).LabelsView }));
const ProvidersView = lazy(async () => ({ default: (await import('./views/providers.tsx')).ProvidersView }));
const PolicyView = lazy(async () => ({ default: (await import('./views/policy.tsx')).PolicyView }));
const StatisticsView = lazy(async () => ({ default: (await import('./views/statistics.tsx')).StatisticsView }));
const WebhooksView = lazy(async () => ({ default: (await import('./views/webhooks.tsx')).WebhooksView }));

const router = createBrowserRouter([
  {
    element: <Shell />,
    children: [
      {
        errorElement: <Broken />,
        children: [
          { path: '/', element: <Navigate to="/app/now" replace /> },
          { path: '/app/now', handle: { title: words.nav.now }, element: <NowView /> },
          { path: '/app/reviews', handle: { title: words.nav.reviews }, element: <ReviewsView /> },
          { path: '/app/cases', handle: { title: words.nav.cases }, element: <CasesView /> },
          { path: '/app/cases/:id', handle: { title: words.cases.one, of: ['id'] }, element: <HoldsView /> },
          { path: '/app/screenings', handle: { title: words.nav.screenings }, element: <ScreeningsView /> },
          { path: '/app/screenings/:id', handle: { title: words.screenings.one, of: ['id'] }, element: <CaseView /> },
          { path: '/app/customers/:id', handle: { title: words.customer.title, of: ['id'] }, element: <CustomerView /> },
          { path: '/app/addresses/:address', handle: { title: words.address.title, of: ['address'] }, element: <AddressView /> },
          { path: '/app/statistics', handle: { title: words.nav.statistics }, element: <StatisticsView /> },
          { path: '/app/policy', handle: { title: words.nav.policy }, element: <PolicyView /> },
          { path: '/app/providers', handle: { title: words.nav.providers }, element: <ProvidersView /> },
          { path: '/app/labels', handle: { title: words.nav.labels }, element: <LabelsView /> },
          { path: '/app/webhooks', handle: { title: words.nav.webhooks }, element: <WebhooksView /> },
          {
            path: '/app/webhooks/:event_id',
            handle: { title: words.webhooks.delivery, of: ['event_id'], isDetail: true },
            element: <WebhooksView />,
          },
          { path: '/app/administration', handle: { title: words.nav.administration }, element: <AdministrationView /> },
          { path: '/app/dead-letters', handle: { title: words.nav['dead-letters'] }, element: <DeadLettersView /> },
          {
            path: '/app/dead-letters/:topic/:offset',
            handle: { title: words.deadLetters.one, of: ['topic', 'offset'], isDetail: true },
            element: <DeadLettersView />,
          },
          { path: '/app/audit', handle: { title: words.nav.audit }, element: <AuditView /> },
          {
            path: '/app/audit/:event_id',
            handle: { title: words.audit.event, of: ['event_id'], isDetail: true },
            element: <AuditView />,
          },
          { path: '/app/search', handle: { title: words.search.label }, element: <SearchView /> },
          { path: '*', handle: { title: words.states.notFound }, element: <h1>{words.states.notFound}</h1> },
        ],
      },
    ],
  },
]);

allowReloadLater();

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
