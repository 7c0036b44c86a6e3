import { type Clock, within } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { CaseReport } from '@weir/risk-report';
import { type Callers, admission, type Operation, operation, problem, readers, runApart } from '@weir/service-kit';
import type { Context } from 'hono';
import { z } from 'zod';
import manifest from '../../package.json' with { type: 'json' };
import { listContents } from '../attachments/store.ts';
import { findCaseOf } from '../cases/query.ts';
import { screeningSegment, uuid } from '../parameters.ts';
import { findScreening } from '../query.ts';
import { findReview } from '../reviews/query.ts';
import { archiveCase } from './archive.ts';

export interface CaseFileOptions {
  readonly db: Queryable;
  readonly access: Callers;
  readonly clock: Clock;
}

const program = new URL('render-process.ts', import.meta.url);
/** Each takes a core for a second, and 100 MB. */
const atOnce = 4;
const limitMs = 20_000;

const problems = {
  NOT_FOUND: [404, 'There is no screening with this id.'],
  BUSY: [503, `${atOnce} reports are being made, or it took longer than ${limitMs / 1_000} seconds. Try again.`],
} as const;

/** Reports and case files, made on request from what is stored. */
export function caseFileOperations({ db, access, clock }: CaseFileOptions): readonly Operation[] {
  let busy = 0;
  /** `answer` gets the case and its PDF. */
  const make = async (
    c: Context,
    answer: (report: CaseReport, pdf: Uint8Array<ArrayBuffer>) => Response | Promise<Response>,
  ): Promise<Response> => {
    const report = await findCase(db, c.req.param('screening_id'), clock.now());
    if (report === undefined) return problem(c, 404, 'NOT_FOUND', 'there is no screening with this id');
    c.header('cache-control', 'private, no-store');
    c.header('x-content-type-options', 'nosniff');
    if (busy >= atOnce) return problem(c, 503, 'BUSY', 'too many reports are being made: try again');
    busy += 1;
    try {
      const late = (): undefined => undefined;
      const pdf = await within(clock, limitMs, (signal) => runApart(program, report, signal), { late });
      return pdf === undefined ? problem(c, 503, 'BUSY', 'the report took too long: try again') : await answer(report, pdf);
    } finally {
      busy -= 1;
    }
  };
  const shared = { method: 'GET', tag: 'case files', admission: admission(access, readers), segments: screeningSegment, problems } as const;
  const binary = z.string().meta({ format: 'binary' });
  const report = operation({
    ...shared,
    name: 'get_screening_report',
    path: '/v1/screenings/{screening_id}/report',
    summary: 'A PDF of a screening: transfer, result with exposures, decisions and reviewers.',
    answers: [{ status: 200, description: 'The report.', type: 'application/pdf', schema: binary, example: '%PDF-1.3' }],
    respond: (c) =>
      make(c, ({ screening }, pdf) =>
        c.body(pdf, 200, { 'content-type': 'application/pdf', ...named('inline', `${screening.screening_id}.pdf`) }),
      ),
  });
  const file = operation({
    ...shared,
    name: 'export_review',
    path: '/v1/reviews/{screening_id}/export',
    summary: 'A case file: the report, the case as JSON and CSV, its attachments, and a manifest with the SHA-256 of each, as a ZIP.',
    answers: [{ status: 200, description: 'The case file.', type: 'application/zip', schema: binary, example: 'PK' }],
    respond: (c) =>
      make(c, async (found, pdf) => {
        const own = await listContents(db, { kind: 'screening', id: found.screening.screening_id });
        const related = found.related === null ? [] : await listContents(db, { kind: 'case', id: found.related.case_id });
        return c.body(archiveCase(found, pdf, [...own, ...related]), 200, {
          'content-type': 'application/zip',
          ...named('attachment', `${found.screening.screening_id}.zip`),
        });
      }),
  });
  return [report, file];
}

async function findCase(db: Queryable, id: string | undefined, now: number): Promise<CaseReport | undefined> {
  const screeningId = uuid.safeParse(id).data;
  if (screeningId === undefined) return undefined;
  const [screening, review, related] = await Promise.all([
    findScreening(db, screeningId),
    findReview(db, screeningId, now),
    findCaseOf(db, screeningId),
  ]);
  if (screening === undefined || review === undefined) return undefined;
  const { state, assignee, due_at, plan_changes, resolutions, notes, attachments } = review;
  return {
    version: manifest.version,
    made_at: new Date(now).toISOString(),
    screening: { ...screening, transfer: { ...screening.transfer } },
    review: { state, assignee, due_at, plan_changes, resolutions, notes, attachments },
    related: related ?? null,
  };
}

function named(how: 'inline' | 'attachment', name: string): Record<string, string> {
  return { 'content-disposition': `${how}; filename="weir-${name}"` };
}
