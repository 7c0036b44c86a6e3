import { labelHistory } from '@weir/chain-store';
import { displayAddress } from '@weir/chains';
import type { Clock } from '@weir/clock';
import type { Queryable } from '@weir/postgres';
import type { Assessment, Label } from '@weir/risk-engine';
import { exposureParts, type Report } from '@weir/risk-report';
import type { Subject } from '../subject.ts';
import type { ScanQuery } from './query.ts';
import { findResult, type ScanResult } from './stored-result.ts';

export interface ScanReportDependencies {
  readonly db: Queryable;
  readonly clock: Clock;
  /** Scores a subject by the data known at `atMs`. */
  readonly assess: (subject: Subject, atMs: number) => Promise<Assessment>;
  readonly version: string;
}

/** The report of the stored result, or of a new one if that is no longer stored. */
export async function scanReport({ db, clock, assess, version }: ScanReportDependencies, query: ScanQuery): Promise<Report> {
  const madeAtMs = clock.now();
  const stored = await findResult(db, query);
  const { assessment, scannedAtMs } = stored ?? (await assessNow(assess, query, madeAtMs));
  return {
    chain: query.chain,
    kind: query.kind,
    subject: query.kind === 'address' ? displayAddress(query.chain, query.subject) : query.subject,
    coin: query.coin,
    direction: query.direction,
    scannedAtMs,
    lostScanAtMs: stored === undefined ? query.scannedAt * 1000 : undefined,
    madeAtMs,
    version,
    sandbox: undefined,
    score: assessment.score,
    level: assessment.level,
    coverage: assessment.coverage,
    detail_list: assessment.detail_list,
    hacking_event: assessment.hacking_event,
    address_label: assessment.address_label,
    grounds: { contributions: assessment.contributions, counterfactuals: assessment.counterfactuals, sides: assessment.sides },
    worstAddress: assessment.worstAddress === undefined ? undefined : displayAddress(query.chain, assessment.worstAddress),
    ...exposureParts(assessment.exposures),
    ...(await labelsOf(db, query, assessment, scannedAtMs)),
  };
}

async function assessNow(assess: ScanReportDependencies['assess'], query: ScanQuery, atMs: number): Promise<ScanResult> {
  const { chain, kind, subject: value, direction } = query;
  return { assessment: await assess({ chain, kind, value, direction }, atMs), scannedAtMs: atMs };
}

/** Separates the labels that the score used (worst first, dated if known) from all others. */
async function labelsOf(
  db: Queryable,
  query: ScanQuery,
  assessment: Assessment,
  atMs: number,
): Promise<Pick<Report, 'labels' | 'contradictions' | 'uncountedLabels'>> {
  const { labels: scored, contradictions, worstAddress } = assessment;
  const address = query.kind === 'address' ? query.subject : worstAddress;
  if (address === undefined) return { labels: scored, contradictions, uncountedLabels: [] };
  const history = await labelHistory(db, query.chain, address, atMs);
  return {
    labels: scored.map((label) => history.find((other) => isSame(label, other)) ?? label),
    contradictions,
    uncountedLabels: history.filter((other) => !scored.some((label) => isSame(label, other))),
  };
}

function isSame(a: Label, b: Label): boolean {
  // A label of another address may say the same.
  return a.name === b.name && a.category === b.category && a.source === b.source && (a.via === undefined) === (b.via === undefined);
}
