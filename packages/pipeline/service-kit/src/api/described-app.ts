import type { Hono } from 'hono';
import { createApp } from '../http.ts';
import { docsPaths, docsRoutes } from './docs/routes.ts';
import { pipelinePage } from './docs/pipeline-page.ts';
import { type HealthOptions, healthOperations } from './health.ts';
import { type ObserveOptions, observeRequests } from './observe.ts';
import { openApiOf } from './openapi.ts';
import { type Operation, refuseMethod } from './operation.ts';

export interface DescribedAppOptions extends ObserveOptions {
  readonly operations: readonly Operation[];
  readonly health: HealthOptions;
  readonly pages?: Hono | undefined;
}

/** The app of a port: its operations, those for probes, and their description at `/openapi.json` and `/docs`. */
export function createDescribedApp({ operations, health, pages, ...observed }: DescribedAppOptions): Hono {
  const all = [...operations, ...healthOperations(health)];
  const app = createApp(observed.logger, all, observeRequests(observed));
  app.route('/', docsRoutes({ describe: () => openApiOf(all), page: () => pipelinePage(all) }));
  for (const path of docsPaths) app.all(path, refuseMethod(path, ['GET', 'HEAD']));
  if (pages !== undefined) app.route('/', pages);
  return app;
}
