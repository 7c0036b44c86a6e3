import {
  type Exposure,
  isRecordTime,
  type Question,
  type ScreeningDecided,
  type ScreeningRequested,
  type ScreeningScored,
  type Transfer,
} from '@weir/contracts';
import { PoisonRecord } from '@weir/event-log';
import type { ExposureView, StageEvent } from '@weir/service-kit';
import { type Paths, pathsOf } from './paths.ts';
import type { DecisionView, QuestionView, ResultView, ScreeningView, SummaryOfResult, TransferView } from './view.ts';

export type ScreeningEvent = StageEvent<'screenings.requested'> | StageEvent<'screenings.scored'> | StageEvent<'screenings.decided'>;

/** The transfer and its question. */
export type Request = Pick<ScreeningView, 'kind' | 'transfer' | 'subject' | 'subject_type' | 'direction' | 'deadline_at' | 'erased'>;

/** A decision with the result that it used. Rows of older versions lack some fields. */
export type Decision = Omit<DecisionView, 'resolution_id'> & {
  readonly risk_level: string | null;
  readonly outcome?: string;
  readonly score?: number | null;
  readonly resolution_id?: string | null;
  readonly names_sanctioned?: boolean | null;
};

/** The parts of a screening that one event carries. A part of higher rank replaces one of lower rank; equal ranks are repeats. */
export interface ScreeningUpdate {
  readonly screeningId: string;
  readonly requestedAt: string;
  readonly request: Request;
  readonly requestRank: bigint;
  readonly result: ResultView | null;
  /** Of the result's exposures. */
  readonly paths: Paths | null;
  /** -1 without a result. */
  readonly resultRank: bigint;
  readonly decision: Decision | null;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Throws `PoisonRecord` for an event that no database can store. */
export function screeningUpdateOf(event: ScreeningEvent): ScreeningUpdate {
  const { data } = event;
  if (!uuid.test(data.screening_id)) throw new PoisonRecord('INVALID_SCREENING_ID', 'screening_id is not a UUID');
  const facts = {
    screeningId: data.screening_id.toLowerCase(),
    requestedAt: time(data.requested_at),
    result: null,
    paths: null,
    resultRank: -1n,
    decision: null,
  };
  if (event.topic === 'screenings.requested') {
    return { ...facts, request: askedOf(event.data), requestRank: rank(event.data.attempt, 1) };
  }
  if (event.topic === 'screenings.scored') {
    const { attempt, sequence } = event.data;
    return {
      ...facts,
      request: askedOf(event.data),
      requestRank: rank(attempt, 0),
      result: resultOf(event.data),
      paths: pathsOf(event.data),
      resultRank: rank(attempt, sequence),
    };
  }
  return { ...facts, request: decidedOf(event.data), requestRank: rank(0, event.data.revision), decision: decisionOf(event.data) };
}

const minors = 2n ** 32n;

/** Orders by the first number, then by the second. */
function rank(major: number, minor: number): bigint {
  return BigInt(major) * minors + BigInt(minor);
}

function askedOf(data: ScreeningRequested | ScreeningScored): Request {
  const { kind, subject, subject_type, direction } = data;
  return { kind, transfer: transferOf(data.transfer), subject, subject_type, direction, deadline_at: time(data.deadline_at) };
}

/** A decision event lacks the question, so a request or result outranks it. */
function decidedOf(data: ScreeningDecided): Request {
  return { kind: data.kind, transfer: transferOf(data.transfer), subject: null, subject_type: null, direction: null, deadline_at: null };
}

function transferOf({ kind, source_id, occurred_at, ...rest }: Transfer): TransferView {
  const at = time(occurred_at);
  const { chain, coin, txid, from_address, to_address, amount, usd_value, user_id, memo } = rest;
  const common = { chain, coin, txid, from_address, to_address, amount, usd_value, user_id, ...(memo ? { memo } : {}) };
  return kind === 'deposit'
    ? { deposit_id: source_id, ...common, detected_at: at }
    : { withdrawal_id: source_id, ...common, requested_at: at };
}

function resultOf(data: ScreeningScored): ResultView {
  return {
    outcome: data.outcome,
    ...(data.score === null ? {} : { score: data.score }),
    ...(data.risk_level === null ? {} : { risk_level: data.risk_level }),
    reasons: data.reasons,
    detail_list: data.detail_list,
    risk_detail: data.risk_detail.map(exposureOf),
    address_label: data.address_label,
    hacking_event: data.hacking_event,
    scanned_ts: data.scanned_ts,
    provider: data.provider,
    evidence_sha256: data.evidence_sha256,
    scored_at: time(data.scored_at),
    reused: data.reused,
    ...(data.reported_at === null ? {} : { reported_at: time(data.reported_at) }),
    ...(data.questions.length === 0 ? {} : { questions: data.questions.map(questionOf) }),
  };
}

export function summaryOf({ outcome, score, risk_level, provider, scored_at, reported_at }: ResultView): SummaryOfResult {
  const at = reported_at ?? scored_at;
  return { outcome, score: score ?? null, risk_level: risk_level ?? null, provider, reported_at: at ?? null };
}

function questionOf({ score, risk_level, ...rest }: Question): QuestionView {
  return { ...rest, ...(score === null ? {} : { score }), ...(risk_level === null ? {} : { risk_level }) };
}

/** The risk API writes 0 where no value is known. An unknown value is never 0 to people. */
function exposureOf({ volume_usd, ...exposure }: Exposure): ExposureView {
  return { ...exposure, volume: volume_usd === 0 ? null : volume_usd };
}

function decisionOf(data: ScreeningDecided): Decision {
  const { revision, action, reason_codes, rule, policy_hash, supersedes, resolution_id } = data;
  const { outcome, score, risk_level, names_sanctioned } = data;
  const basis = { outcome, score, risk_level, names_sanctioned };
  return { revision, action, reason_codes, rule, policy_hash, decided_at: time(data.decided_at), supersedes, ...basis, resolution_id };
}

function time(ms: number): string {
  if (!isRecordTime(ms)) throw new PoisonRecord('INVALID_TIME', 'a time is not of the years 1 to 9999');
  return new Date(ms).toISOString();
}
