import { z } from 'zod';
import { type Context, successOf } from './answer.ts';
import { type Reply, type Request, unavailable } from './http.ts';
import { refusalOf } from './refusal.ts';
import type { Refusal } from './types.ts';

export type NamedReport = { readonly kind: 'named'; readonly request: Request } | Refusal;
export type ReportAnswer = { readonly kind: 'report'; readonly pdf: Uint8Array } | Refusal;

const scored = z.object({ risk_report_url: z.string().nullish() });
const noReport: Refusal = { kind: 'rejected', status: 404, code: 'NO_REPORT' };

/**
 * The request for the report that a score names. Only the token is taken from its URL, which a proxy may have made of another name: nothing
 * is sent to an address that an answer chooses.
 */
export function scoredReport(reply: Reply, context: Context): NamedReport {
  const answer = successOf(reply, context, ({ data }) => {
    const read = scored.safeParse(data);
    return read.success ? { read: read.data.risk_report_url ?? '' } : { problem: 'data.risk_report_url is not understood' };
  });
  if ('kind' in answer) return answer;
  if (answer.read === '') return noReport;
  const token = URL.parse(answer.read)?.searchParams.get('access_token');
  if (!token) return unavailable('UNREADABLE', 'data.risk_report_url has no access token');
  return { kind: 'named', request: { method: 'GET', path: '/v1/risk_report', fields: { access_token: token }, open: true, isPdf: true } };
}

export function reportAnswerOf(reply: Reply, context: Context): ReportAnswer {
  if (reply.pdf !== undefined) return { kind: 'report', pdf: reply.pdf };
  if (reply.status === 200) return unavailable('UNREADABLE', 'problem' in reply.body ? reply.body.problem : 'the answer is no PDF');
  return refusalOf(reply, undefined, context);
}
