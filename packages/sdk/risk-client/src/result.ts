import { z } from 'zod';
import type { RiskLevel, RiskResult, RiskSummary } from './types.ts';

/** Numbers may arrive as strings, in plain notation only. */
export const wholeNumber = z.union([
  z.int(),
  z
    .string()
    .regex(/^(0|[1-9]\d{0,14})$/)
    .transform(Number),
]);
export const amount = z.union([
  z.number().nonnegative(),
  z
    .string()
    .regex(/^\d{1,40}(\.\d{1,40})?([eE][+-]?\d{1,2})?$/)
    .transform(Number),
]);
const orNull = <T extends z.ZodType>(schema: T) => schema.nullish().transform((value) => value ?? null);
/** Text that any store can hold: no NUL, no lone surrogate. */
export const text = z.string().refine((value) => !value.includes('\0') && value.isWellFormed(), 'not storable');
const freeText = text.nullish().transform((value) => value ?? '');

/** Unix seconds, null for 0 and absent. Rejects milliseconds, which would never become stale. */
export const scannedTs = wholeNumber
  .refine((value) => value >= 0 && value < 100_000_000_000)
  .nullish()
  .transform((value) => value || null);

/** Keeps types beyond the specification, except other spellings of sanctions, which must not pass as something else. */
const riskType = text.refine((type) => type.trim() !== '' && (type === 'sanctioned_entity' || !/sanction/i.test(type)));

/** Of the risk API of Weir. Another API's field of the same name says nothing. */
const orUnknown = <T extends z.ZodType>(schema: T) => orNull(schema).catch(null);
const side = orUnknown(z.enum(['in', 'out']));
const hop = z.object({
  txid: text,
  time: z.iso.datetime(),
  coin: text,
  amount: orNull(text),
  usd: orNull(amount),
  from: text,
  to: text,
});

const exposure = z
  .object({
    entity: text,
    risk_type: riskType,
    exposure_type: z.enum(['direct', 'indirect']),
    hop_num: wholeNumber.pipe(z.int().min(1).max(2_147_483_647)),
    volume: orNull(amount),
    percent: orNull(amount),
    hop_dic: orNull(z.record(text, z.array(text))),
    side,
    counterparty: orUnknown(text),
    path: orUnknown(z.array(hop)),
    sources: orUnknown(z.array(text)),
  })
  // In USD, which the API's name does not say.
  .transform(({ volume, percent, hop_dic, ...item }) => ({ ...item, volume_usd: volume, percent, hop_dic }));

export const levels = ['Low', 'Moderate', 'High', 'Severe'] as const;

const riskSummary = z.object({
  // Adding 0 makes -0 a 0.
  score: wholeNumber.pipe(z.int().min(0).max(100)).transform((score) => score + 0),
  risk_level: z.enum(levels),
  hacking_event: freeText,
  detail_list: z.array(text),
  scanned_ts: scannedTs,
  coverage: orNull(z.enum(['none', 'labels', 'transfers', 'full'])),
});
const claim = z.object({ probability: z.number().min(0).max(1), categories: z.array(text), sources: z.array(text) });
const contradiction = z.object({ standing: z.enum(['service', 'accusation']), service: claim, accusation: claim });
const contribution = z.object({ key: text, points: z.number() });
const counterfactual = z.object({ without: text, score: z.int().min(0).max(100), risk_level: z.enum(levels) });

const riskResult = riskSummary.extend({
  risk_detail: z.array(exposure),
  address_label: freeText,
  illicit_usd: orUnknown(amount),
  contradictions: orUnknown(z.array(contradiction)),
  contributions: orUnknown(z.array(contribution)),
  counterfactuals: orUnknown(z.array(counterfactual)),
});

/** The specification's bands. */
export function levelOf(score: number): RiskLevel {
  return score >= 91 ? 'Severe' : score >= 71 ? 'High' : score >= 31 ? 'Moderate' : 'Low';
}

/**
 * Reads `data` of a risk score. Fields of the assessment are required and strict: a missing list could have held a sanctioned exposure.
 * Only names and labels may be absent, which means empty.
 */
export function readResult(data: unknown): RiskResult | { problem: string } {
  const read = riskResult.safeParse(data);
  return read.success ? unlessContradictory(read.data) : { problem: problemOf(read.error) };
}

/** For a v1 score, which has no exposures. */
export function readSummary(data: unknown): RiskSummary | { problem: string } {
  const read = riskSummary.safeParse(data);
  return read.success ? unlessContradictory(read.data) : { problem: problemOf(read.error) };
}

function unlessContradictory<Result extends RiskSummary & Partial<RiskResult>>(result: Result): Result | { problem: string } {
  if (levelOf(result.score) !== result.risk_level) return { problem: 'score and risk_level contradict each other' };
  if (result.risk_level === 'Low' && result.detail_list.some((detail) => neverLow.has(detail)))
    return { problem: 'detail_list contradicts risk_level' };
  if (result.coverage === 'none' && knowsSomething(result)) return { problem: 'coverage none contradicts the rest' };
  return result;
}

/** The specification's bands have no Low for these. */
const neverLow: ReadonlySet<string> = new Set(['Sanctioned Entity', 'Malicious Address']);

function knowsSomething(result: RiskSummary & Partial<RiskResult>): boolean {
  return (
    result.risk_level !== 'Low' ||
    (result.risk_detail ?? []).length > 0 ||
    result.detail_list.some((detail) => detail !== '-' && detail !== '') ||
    result.hacking_event !== '' ||
    (result.address_label ?? '') !== ''
  );
}

const names: ReadonlySet<PropertyKey> = new Set([
  ...Object.keys(riskResult.shape),
  ...Object.keys(exposure.in.shape),
  'task_id',
  'has_result',
]);

/** Names the first problem. Leaves out field names of the answer's own choice. */
export function problemOf(error: z.ZodError, ourNames: ReadonlySet<PropertyKey> = names): string {
  const path = ['data', ...(error.issues[0]?.path ?? [])].filter((part, i) => i === 0 || typeof part === 'number' || ourNames.has(part));
  return `${path.join('.')} is missing or not understood`;
}
