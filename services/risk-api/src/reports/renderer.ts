import type { Report } from '@weir/risk-report';
import { runApart } from '@weir/service-kit';

const program = new URL('render-process.ts', import.meta.url);

/** Renders the PDF in a child process. Rejects when `signal` is aborted or rendering fails. */
export function renderApart(report: Report, signal: AbortSignal): Promise<Uint8Array<ArrayBuffer>> {
  return runApart(program, report, signal);
}
