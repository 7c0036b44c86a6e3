import { renderPdf } from './pdf/render.ts';
import type { Report } from './report.ts';

/** The process's whole life: one report in, one PDF out. */
process.once('message', (report: Report) => {
  renderPdf(report)
    .then((pdf) => process.send?.(pdf))
    .catch((error: unknown) => process.send?.(error instanceof Error ? error : new Error('failed')))
    .finally(() => process.disconnect());
});
