export type { CaseReport } from './case/case.ts';
export { renderCase, renderPdf } from './pdf/render.ts';
export { type DatedLabel, exposureParts, type Report } from './report.ts';
