import { type Report, renderPdf } from '@weir/risk-report';

/** One report in, one PDF out, then the process ends. */
process.once('message', (report: Report) => {
  renderPdf(report)
    .then((pdf) => process.send?.(pdf))
    .catch((error: unknown) => process.send?.(error instanceof Error ? error : new Error('failed')))
    .finally(() => process.disconnect());
});
