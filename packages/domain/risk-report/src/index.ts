export { renderPdf } from './pdf/render.ts';
export { type DatedLabel, exposureParts, type Report } from './report.ts';
