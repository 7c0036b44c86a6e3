import type { ReportUrl } from '../../reports/query.ts';
import { keyedSurface, type Surface } from '../../http/surface.ts';
import { type AnalysisParts, analysisOperations } from './analyses.ts';
import { changeOperations } from './changes.ts';
import { priceOperations } from './prices.ts';
import { type ScoreParts, scoreOperations } from './scores.ts';
import { taskOperations } from './tasks.ts';
import { type TraceParts, traceOperations } from './trace.ts';

export interface StandardParts extends AnalysisParts, ScoreParts, TraceParts {
  readonly reportUrl: ReportUrl;
}

export function standardSurface(parts: StandardParts): Surface {
  const operations = [analysisOperations, traceOperations, scoreOperations, taskOperations, changeOperations, priceOperations];
  return keyedSurface(
    'standard',
    operations.flatMap((own) => own(parts)),
    parts.db,
  );
}
