import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import { keyedSurface, type Surface } from '../../http/surface.ts';
import type { ReportUrl } from '../../reports/query.ts';
import { sandboxOperations, targetsPage } from './operations.ts';
import { listTargets } from './targets.ts';

export function sandboxSurface({ db, clock, reportUrl }: { db: Queryable; clock: Clock; reportUrl: ReportUrl }): Surface {
  const keyed = keyedSurface('sandbox', sandboxOperations(clock, reportUrl), db);
  return {
    ...keyed,
    pages: [targetsPage],
    openPaths: [targetsPage.path],
    routes: (app, originOf) => {
      keyed.routes(app, originOf);
      app.get(targetsPage.path, (c) => c.json({ targets: listTargets() }));
    },
  };
}
