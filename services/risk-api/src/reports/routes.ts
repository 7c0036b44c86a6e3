import type { Report } from '@weir/risk-report';
import type { Context, Hono } from 'hono';
import { z } from 'zod';
import { Failure } from '../failure.ts';
import type { Description } from '../http/operation.ts';
import type { ReportQuery } from './query.ts';
import type { ReportTokens } from './token.ts';

export const reportPage: Description = {
  name: 'v1_risk_report',
  surface: 'reports',
  method: 'GET',
  path: '/v1/risk_report',
  summary: 'The report of a result, as a PDF. No key.',
  description:
    'The address is risk_report_url of a result. Its token is the permission: anybody with the address may read the report until the token expires.',
  keyed: false,
  request: z.object({ access_token: z.string().min(1).meta({ description: 'As risk_report_url has it.' }) }),
  type: 'application/pdf',
  answer: z.string().meta({ format: 'binary' }),
  example: { request: { access_token: 'eyJhbGciOiJIUzI1NiJ9.e30.c2lnbmF0dXJl' }, answer: '%PDF-1.3' },
  refusals: ['InvalidAccessToken', 'ExpiredAccessToken'],
};

interface ReportRouteOptions {
  readonly tokens: ReportTokens;
  /** Gives up when `gone` is aborted. */
  readonly make: (query: ReportQuery, gone: AbortSignal) => Promise<{ report: Report; pdf: Uint8Array<ArrayBuffer> }>;
}

/** `GET /v1/risk_report?access_token=…`. The token is the only permission: anybody with the URL may read until it expires. */
export function reportRoutes(app: Hono, { tokens, make }: ReportRouteOptions): void {
  app.get(reportPage.path, async (c) => {
    const query = await tokens.verify(tokenOf(c));
    protect(c);
    // Hono routes HEAD here too; it needs no report.
    if (c.req.method === 'HEAD') return c.body(null, 200, { 'content-type': 'application/pdf' });
    const { report, pdf } = await make(query, c.req.raw.signal);
    return c.body(pdf, 200, { 'content-type': 'application/pdf', 'content-disposition': `inline; filename="${fileName(report)}"` });
  });
}

function tokenOf(c: Context): string {
  const given = c.req.queries('access_token') ?? [];
  const [token] = given;
  if (token === undefined || given.length > 1) throw new Failure('InvalidAccessToken');
  return token;
}

/** The URL grants access: no cache may keep the answer, and no referrer may pass the URL on. */
function protect(c: Context): void {
  c.header('cache-control', 'private, no-store');
  c.header('referrer-policy', 'no-referrer');
  c.header('x-content-type-options', 'nosniff');
  c.header('x-robots-tag', 'noindex');
}

/** `weir-report-ethereum-0x098B716B8A-20240716.pdf`: letters and digits, whatever the subject is. */
function fileName({ chain, subject, scannedAtMs, madeAtMs }: Report): string {
  const date = new Date(scannedAtMs ?? madeAtMs).toISOString().slice(0, 10).replaceAll('-', '');
  const parts = [chain, subject.slice(0, 12), date].map((part) => part.replace(/[^A-Za-z0-9]/g, ''));
  return `weir-report-${parts.join('-')}.pdf`;
}
