import type { ReportUrl } from '../../reports/query.ts';
import { succeeded } from '../../http/envelope.ts';
import { keyedSurface, type Surface } from '../../http/surface.ts';
import { type AnalysisParts, analysisOperations } from './analyses.ts';
import { changeOperations } from './changes.ts';
import { priceOperations } from './prices.ts';
import { type ScoreParts, scoreOperations } from './scores.ts';
import { statusOf, statusPage } from './status.ts';
import { taskOperations } from './tasks.ts';
import { type TraceParts, traceOperations } from './trace.ts';

export interface StandardParts extends AnalysisParts, ScoreParts, TraceParts {
  readonly reportUrl: ReportUrl;
}

export function standardSurface(parts: StandardParts): Surface {
  const operations = [analysisOperations, traceOperations, scoreOperations, taskOperations, changeOperations, priceOperations];
  const keyed = keyedSurface(
    'standard',
    operations.flatMap((own) => own(parts)),
    parts.db,
  );
  const paths = [...keyed.operations, statusPage].map(({ path }) => path);
  return {
    ...keyed,
    pages: [statusPage],
    openPaths: [statusPage.path],
    routes: (app, originOf) => {
      keyed.routes(app, originOf);
      app.get(statusPage.path, (c) => c.json(succeeded(statusOf(paths))));
    },
  };
}
