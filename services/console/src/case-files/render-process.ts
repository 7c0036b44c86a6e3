import { type CaseReport, renderCase } from '@weir/risk-report';

/** One case in, one PDF out, then the process ends. */
process.once('message', (report: CaseReport) => {
  renderCase(report)
    .then((pdf) => process.send?.(pdf))
    .catch((error: unknown) => process.send?.(error instanceof Error ? error : new Error('failed')))
    .finally(() => process.disconnect());
});
