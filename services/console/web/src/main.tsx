import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { lazy, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, Navigate, RouterProvider } from 'react-router';
import { ApiError } from './api/request.ts';
import { Broken } from './parts/states.tsx';
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
    queries: {
      retry: (failures, error) => failures < attempts && error instanceof ApiError && (error.status === 0 || error.status >= 500),
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
          { path: '/app/now', element: <NowView /> },
          { path: '/app/reviews', element: <ReviewsView /> },
          { path: '/app/cases', element: <CasesView /> },
          { path: '/app/cases/:id', element: <HoldsView /> },
          { path: '/app/screenings', element: <ScreeningsView /> },
          { path: '/app/screenings/:id', element: <CaseView /> },
          { path: '/app/customers/:id', element: <CustomerView /> },
          { path: '/app/addresses/:address', element: <AddressView /> },
          { path: '/app/statistics', element: <StatisticsView /> },
          { path: '/app/policy', element: <PolicyView /> },
          { path: '/app/providers', element: <ProvidersView /> },
          { path: '/app/labels', element: <LabelsView /> },
          { path: '/app/webhooks', element: <WebhooksView /> },
          { path: '/app/webhooks/:event_id', element: <WebhooksView /> },
          { path: '/app/administration', element: <AdministrationView /> },
          { path: '/app/dead-letters', element: <DeadLettersView /> },
          { path: '/app/dead-letters/:topic/:offset', element: <DeadLettersView /> },
          { path: '/app/audit', element: <AuditView /> },
          { path: '/app/audit/:event_id', element: <AuditView /> },
          { path: '/app/search', element: <SearchView /> },
          { path: '*', element: <h1>{words.states.notFound}</h1> },
        ],
      },
    ],
  },
]);

createRoot(document.getElementById('root') as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
