import { createHash } from 'node:crypto';
import { z } from 'zod';
import { cutSecrets } from './cut-secrets.ts';
import { type Reply, unavailable } from './http.ts';
import { scanJson } from './json-strings.ts';
import { type ErrorBody, refusalOf } from './refusal.ts';
import { problemOf, readResult, readSummary, scannedTs } from './result.ts';
import type {
  Clock,
  CreateAnswer,
  QueryAnswer,
  Refusal,
  RiskResult,
  RiskSummary,
  StartAnswer,
  SummaryAnswer,
  Unavailable,
} from './types.ts';

const started = z.object({ has_result: z.boolean().nullish().transform(Boolean), scanned_ts: scannedTs });
const created = started.extend({ task_id: z.string().regex(/^[\x21-\x7e]{1,256}$/) });

/** `apiKey` is removed from stored answers that repeat it. */
export interface Context {
  readonly clock: Clock;
  readonly apiKey: string;
}

export function createAnswerOf(reply: Reply, context: Context): CreateAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(created, data));
  return 'kind' in answer ? answer : { kind: 'created', ...answer.read };
}

export function startAnswerOf(reply: Reply, context: Context): StartAnswer {
  const answer = successOf(reply, context, ({ data }) => readWith(started, data));
  return 'kind' in answer ? answer : { kind: 'started', ...answer.read };
}

export function summaryAnswerOf(reply: Reply, context: Context): SummaryAnswer {
  const answer = successOf(reply, context, ({ text }) => ({ read: text }));
  return 'kind' in answer ? answer : scoreOf(answer.read, context.apiKey, readSummary);
}

/** Applies `read` to a success without a message. A success of a page that is not `enveloped` is the body itself. */
export function successOf<T>(
  reply: Reply,
  context: Context,
  read: (success: Success) => { readonly read: T } | { readonly problem: string },
  { enveloped = true }: { readonly enveloped?: boolean } = {},
): { readonly read: T } | Refusal {
  const envelope = openEnvelope(reply, enveloped);
  if (envelope.kind === 'unavailable') return envelope;
  if (envelope.kind === 'refused') return refusalOf(reply, envelope.body, context);
  if (envelope.msg !== '') return unreadable('msg is not understood');
  const result = read(envelope);
  return 'problem' in result ? unreadable(result.problem) : result;
}

function readWith<Schema extends z.ZodType>(schema: Schema, data: unknown): { read: z.output<Schema> } | { problem: string } {
  const read = schema.safeParse(data);
  return read.success ? { read: read.data } : { problem: problemOf(read.error) };
}

export function queryAnswerOf(reply: Reply, context: Context): QueryAnswer {
  const envelope = openEnvelope(reply);
  if (envelope.kind === 'unavailable') return envelope;
  // The standard API sends this with `success` true, the sandbox with false.
  const msg = envelope.kind === 'refused' ? envelope.body?.msg : envelope.msg;
  if (msg === 'TaskNotFound') return { kind: 'not_found' };
  if (envelope.kind === 'refused') return refusalOf(reply, envelope.body, context);
  if (msg === 'TaskUnderRunning') return { kind: 'running' };
  if (msg !== '') return unreadable('msg is not understood');
  return scoreOf(envelope.text, context.apiKey, readResult);
}

/**
 * Reads the result from the stored text, so that it can be read from there again.
 * Unreadable if the removal of secrets changed the assessment, e.g. a token that equals a risk type.
 */
function scoreOf<Result extends RiskSummary>(
  text: string,
  apiKey: string,
  read: (data: unknown) => Result | { problem: string },
): { kind: 'scored' | 'no_data'; result: Result; evidence: string; evidence_sha256: string } | Unavailable {
  const original = read(dataOf(text));
  if ('problem' in original) return unreadable(original.problem);
  const evidence = cutSecrets(text, [apiKey]);
  const result = evidence === text ? original : read(dataOf(evidence));
  if ('problem' in result || (result !== original && assessmentOf(result) !== assessmentOf(original)))
    return unreadable('an access token stands where the assessment is');
  const evidence_sha256 = createHash('sha256').update(evidence).digest('hex');
  return { kind: result.coverage === 'none' ? 'no_data' : 'scored', result, evidence, evidence_sha256 };
}

/** The result in an `evidence` that was stored. Undefined for a text that has none, such as an answer of v1. */
export function readEvidence(evidence: string): RiskResult | undefined {
  const read = readResult(dataOf(evidence));
  return 'problem' in read ? undefined : read;
}

function dataOf(text: string): unknown {
  try {
    return (JSON.parse(text) as { data?: unknown }).data;
  } catch {
    return undefined;
  }
}

/** All of a result but names and paths. */
function assessmentOf(result: RiskSummary & Partial<RiskResult>): string {
  const { score, risk_level, coverage, scanned_ts, detail_list } = result;
  const exposures = result.risk_detail?.map(({ risk_type, exposure_type, hop_num, volume_usd, percent }) => [
    risk_type,
    exposure_type,
    hop_num,
    volume_usd,
    percent,
  ]);
  return JSON.stringify([score, risk_level, coverage, scanned_ts, detail_list, exposures]);
}

interface Success {
  readonly kind: 'success';
  readonly msg: string;
  readonly data: unknown;
  /** The whole body. */
  readonly body: unknown;
  readonly text: string;
}

type Envelope = Success | { readonly kind: 'refused'; readonly body: ErrorBody | undefined } | Unavailable;

const envelopeSchema = z.object({
  success: z.boolean(),
  msg: z.string().nullish(),
  data: z.unknown().optional(),
  retry_after: z.unknown().optional(),
});

function openEnvelope({ status, body }: Reply, enveloped = true): Envelope {
  const parsed = readJson(body);
  // Any other status is a refusal, whatever its body, and never gives a level.
  if (status !== 200) return { kind: 'refused', body: 'value' in parsed && isObject(parsed.value) ? parsed.value : undefined };
  if ('problem' in parsed) return unreadable(parsed.problem);
  if (!enveloped) return { kind: 'success', msg: '', data: undefined, body: parsed.value, text: parsed.text };
  const read = envelopeSchema.safeParse(parsed.value);
  if (!read.success) return unreadable('the envelope is not understood');
  if (!read.data.success) return { kind: 'refused', body: read.data };
  return { kind: 'success', msg: read.data.msg ?? '', data: read.data.data, body: parsed.value, text: parsed.text };
}

/** The parsed body. A field that stands there twice is a problem, for readers differ in which one counts. */
export function readJson(body: Reply['body']): { value: unknown; text: string } | { problem: string } {
  if ('problem' in body) return body;
  const { text } = body;
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
