import { createHash } from 'node:crypto';
import type { Clock } from '@weir/clock';
import { z } from 'zod';
import { cutSecrets } from './cut-secrets.ts';
import { type Reply, unavailable } from './http.ts';
import { scanJson } from './json-strings.ts';
import { type ErrorBody, refusalOf } from './refusal.ts';
import { problemOf, readResult, scannedTs } from './result.ts';
import type { CreateAnswer, QueryAnswer, RiskResult, Unavailable } from './types.ts';

const created = z.object({
  task_id: z.string().regex(/^[\x21-\x7e]{1,256}$/),
  has_result: z.boolean().nullish(),
  scanned_ts: scannedTs,
});

/** `apiKey` is cut out of what is kept of an answer, should it repeat it. */
interface Context {
  readonly clock: Clock;
  readonly apiKey: string;
}

export function createAnswerOf(reply: Reply, context: Context): CreateAnswer {
  const envelope = openEnvelope(reply);
  if (envelope.kind === 'unavailable') return envelope;
  if (envelope.kind === 'refused') return refusalOf(reply, envelope.body, context);
  if (envelope.msg !== '') return unreadable('msg is not understood');
  const read = created.safeParse(envelope.data);
  if (!read.success) return unreadable(problemOf(read.error));
  return { kind: 'created', taskId: read.data.task_id, hasResult: read.data.has_result ?? false, scannedTs: read.data.scanned_ts };
}

export function queryAnswerOf(reply: Reply, context: Context): QueryAnswer {
  const envelope = openEnvelope(reply);
  if (envelope.kind === 'unavailable') return envelope;
  // The standard API says this with `success` true, the sandbox with false.
  const msg = envelope.kind === 'refused' ? envelope.body?.msg : envelope.msg;
  if (msg === 'TaskNotFound') return { kind: 'not_found' };
  if (envelope.kind === 'refused') return refusalOf(reply, envelope.body, context);
  if (msg === 'TaskUnderRunning') return { kind: 'running' };
  if (msg !== '') return unreadable('msg is not understood');
  return scoreOf(envelope.text, context.apiKey);
}

/**
 * The result is read from the text that is kept, so that it can be read from there again. Should cutting have changed what matters in it
 * (a token that is also a type of risk), nothing can be said.
 */
function scoreOf(text: string, apiKey: string): QueryAnswer {
  const original = readResult(dataOf(text));
  if ('problem' in original) return unreadable(original.problem);
  const raw = cutSecrets(text, [apiKey]);
  const result = readResult(dataOf(raw));
  if ('problem' in result || assessmentOf(result) !== assessmentOf(original))
    return unreadable('an access token stands where the assessment is');
  const rawSha256 = createHash('sha256').update(raw).digest('hex');
  return { kind: result.coverage === 'none' ? 'no_data' : 'scored', result, raw, rawSha256 };
}

function dataOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { data?: unknown }).data;
  } catch {
    return undefined;
  }
}

/** All of a result but names and places. */
function assessmentOf(result: RiskResult): string {
  const { score, riskLevel, coverage, scannedTs: scanned, detailList } = result;
  const exposures = result.riskDetail.map(({ riskType, exposureType, hopNum, volumeUsd, percent }) => [
    riskType,
    exposureType,
    hopNum,
    volumeUsd,
    percent,
  ]);
  return JSON.stringify([score, riskLevel, coverage, scanned, detailList, exposures]);
}

type Envelope =
  | { readonly kind: 'success'; readonly msg: string; readonly data: unknown; readonly text: string }
  | { readonly kind: 'refused'; readonly body: ErrorBody | undefined }
  | Unavailable;

const envelopeSchema = z.object({
  success: z.boolean(),
  msg: z.string().nullish(),
  data: z.unknown().optional(),
  retry_after: z.unknown().optional(),
});

function openEnvelope({ status, body }: Reply): Envelope {
  const parsed = 'text' in body ? parse(body.text) : body;
  // Any other status is a refusal, however bad its body is; it can't become a level.
  if (status !== 200) return { kind: 'refused', body: 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined };
  if ('problem' in parsed) return unreadable(parsed.problem);
  const read = envelopeSchema.safeParse(parsed.value);
  if (!read.success) return unreadable('the envelope is not understood');
  if (!read.data.success) return { kind: 'refused', body: read.data };
  return { kind: 'success', msg: read.data.msg ?? '', data: read.data.data, text: parsed.text };
}

function parse(text: string): { value: unknown; text: string } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return scanJson(text).hasDuplicates ? { problem: 'a field stands there twice' } : { value, text };
  } catch {
    return { problem: 'the body is not JSON' };
  }
}

function isObject(value: unknown): value is ErrorBody {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unreadable(detail: string): Unavailable {
  return unavailable('UNREADABLE', detail);
}
